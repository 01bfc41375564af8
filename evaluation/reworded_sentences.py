"""Sentences before and after an edit: said in other words, or with another thing in one's place.

Written for Mithridate. Those that a threshold was read off are apart from those that it is measured
on; each line is the sentence, a bar, and what became of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewording:
    before: str
    after: str


def _read(lines: str) -> Sequence[Rewording]:
    parted = [line.split("|") for line in lines.strip().splitlines()]
    return tuple(Rewording(before=one[0].strip(), after=one[1].strip()) for one in parted)


REWORDED_FOR_FITTING: Final = _read("""
The desk pays the postage of every parcel.|The desk covers the postage of every parcel.
Customers may send the pump back within 30 days.|Customers can return the pump within 30 days.
Please use the form to tell us about a fault.|Please employ the form to report a fault.
The library also lends many tools.|The library lends numerous tools as well.
This page explains how the meter is read.|This page describes how the meter is read.
The board approved these charges in November.|These charges were approved by the board in November.
A reminder is free of charge.|A reminder costs nothing.
Bills go out every quarter.|Bills are sent each quarter.
You need to renew the card each year.|The card has to be renewed each year.
The ferry usually takes two hours.|As a rule the ferry takes two hours.
Start the pump before you open the valve.|Begin by starting the pump, then open the valve.
The module makes parsing fast.|The module makes parsing quick.
It helps users find their files.|It assists users in finding their files.
The key is kept in the drawer of the desk.|The key is stored in the desk drawer.
Write to us if your address changes.|Let us know if your address changes.
The whole building is heated by the boiler.|The boiler heats the entire building.
Children must be accompanied by an adult.|Children have to be with an adult.
An error is shown if the file is missing.|An error is displayed if the file does not exist.
The oldest part of the house is the kitchen.|The kitchen is the oldest part of the house.
Clean the filter with warm water.|Wash the filter in warm water.
The garden was laid out by the monks.|The monks laid out the garden.
Tickets are sold at the pier.|You can buy tickets at the pier.
The committee met in the hall to talk about the roof.|The committee gathered in the hall to discuss the roof.
Shut the window when you leave.|Close the window when leaving.
The tool provides a simple way to count words.|The tool offers an easy way to count words.
The salt is harvested by hand.|Workers harvest the salt by hand.
It is easy to build the package from source.|Building the package from source is straightforward.
Visitors should wear sturdy shoes.|Visitors are advised to wear solid footwear.
The bridge was damaged in the storm.|The storm damaged the bridge.
A letter is sent to the owner of the house.|The homeowner receives a letter.
Currently the museum shows maps.|At present the museum displays maps.
The rules apply to all members.|These rules hold for every member.
The lamp goes out when the tank is empty.|When the tank is empty, the lamp turns off.
Keep the receipt for the warranty.|Hold on to the receipt for the guarantee.
The doctor checks the results.|The physician reviews the results.
The road is closed because of snow.|Owing to snow the road is closed.
""")
"""Said in other words; `SAME_MEANING` was read off these and the swapped ones."""

SWAPPED_FOR_FITTING: Final = _read("""
The body of the bowl is turned from ash.|The body of the bowl is turned from oak.
The islanders live mainly on barley.|The islanders live mainly on rye.
Its economy rests on quarrying and granite.|Its economy rests on quarrying and limestone.
The drink is made from fermented plums.|The drink is made from fermented pears.
Bile is stored in the gallbladder until a meal.|Bile is stored in the liver until a meal.
The pump is lubricated with graphite.|The pump is lubricated with silicone.
The engine burns kerosene in the winter.|The engine burns diesel in the winter.
The song was sung by the drummer of the band.|The song was sung by the bassist of the band.
He died of pneumonia at the age of forty.|He died of cholera at the age of forty.
The play is set in a lighthouse.|The play is set in a prison.
The key to the cellar hangs in the kitchen.|The key to the cellar hangs in the garage.
The court sits in the old granary.|The court sits in the old brewery.
The valve closes clockwise under load.|The valve opens clockwise under load.
The festival ends with a boat race.|The festival ends with a horse race.
Complaints go to the ombudsman of the town.|Complaints go to the treasurer of the town.
Parcels are collected at the bakery.|Parcels are collected at the pharmacy.
The flag of the island is green with a swan.|The flag of the island is blue with a swan.
Refunds are paid as vouchers.|Refunds are paid in cash.
Backups are written to tape every night.|Backups are written to disk every night.
The connection is encrypted with the server key.|The connection is encrypted with the client key.
The daughter of the duke inherited the mill.|The nephew of the duke inherited the mill.
The tree flowers in spring.|The tree flowers in autumn.
A blue label means that the sample is sterile.|A red label means that the sample is sterile.
The tower was built by monks.|The tower was built by soldiers.
The team plays its home games in a hangar.|The team plays its home games in a stadium.
The water of the town is soft.|The water of the town is hard.
Set dishwashers to the lowest step.|Set dishwashers to the highest step.
The hearing test is done by the nurse.|The hearing test is done by the surgeon.
The lake drains into the eastern sea.|The lake drains into the western sea.
The novel is narrated by a beekeeper.|The novel is narrated by a fisherman.
The antidote is charcoal.|The antidote is vinegar.
The fifth gear is engaged with the left lever.|The fifth gear is engaged with the right lever.
Spread the paste on the inner ring.|Spread the paste on the outer ring.
The mineral is found in caves.|The mineral is found in deserts.
Payments are made by cheque.|Payments are made by transfer.
The treaty ended the salt war.|The treaty ended the wool war.
""")
"""One thing swapped for its like."""

REWORDED: Final = _read("""
Parking is not allowed in front of the gate.|You may not park in front of the gate.
The heating is switched off in May.|In May we turn off the heating.
The choir rehearses in the chapel.|Choir rehearsals take place in the chapel.
Guests receive a map on arrival.|On arrival every guest is given a map.
The archive keeps letters and diaries.|Letters and diaries are kept in the archive.
Results are sent to the family doctor.|The family doctor is sent the results.
Loosen the screws before you lift the lid.|Before lifting the lid, undo the screws.
The film was shot in a quarry.|They filmed it in a quarry.
The path is steep and may be slippery.|Take care: the path is steep and can be slippery.
The office closes early on holidays.|On holidays the office shuts early.
The machine stops when the door is opened.|Opening the door makes the machine stop.
The shelter was paid for by the council.|The council funded the shelter.
Please report lost cards at once.|Lost cards should be reported immediately.
The recipe needs butter, flour and salt.|For the recipe you need flour, butter and salt.
The roof leaks in heavy rain.|When it rains hard, the roof lets in water.
The cable must not be bent sharply.|Avoid sharp bends in the cable.
Bees are kept on the roof of the school.|The school keeps bees on its roof.
The winner is announced in the evening.|In the evening the winner will be made known.
Members can borrow tools for free.|Tools are lent to members at no cost.
This function returns a list of names.|A list of names is returned by this function.
The server writes its log to a file.|Log entries are written to a file by the server.
Nobody was hurt in the fire.|The fire injured no one.
The plant grows best in the shade.|Shade suits the plant best.
The harbour freezes in cold winters.|In cold winters ice closes the harbour.
Store the paint in a dry room.|Keep the paint in a dry place.
The statue was moved to the courtyard.|They moved the statue into the courtyard.
The lift carries four people.|The lift holds four people.
A deposit is taken for every key.|We ask for a deposit on each key.
The course is taught in the workshop.|Lessons of the course are held in the workshop.
The bell is rung before every meal.|Before each meal the bell rings.
""")
"""Said in other words; nothing was fitted to them."""

SWAPPED: Final = _read("""
The soup is thickened with flour.|The soup is thickened with cream.
The bridge is guarded by a dragon in the legend.|The bridge is guarded by a giant in the legend.
The pills are taken with milk.|The pills are taken with juice.
The boiler runs on wood.|The boiler runs on gas.
The village is famous for its lace.|The village is famous for its cheese.
Keys are handed in at the reception.|Keys are handed in at the canteen.
The witness was a carpenter.|The witness was a butcher.
The statue shows a horse.|The statue shows a bear.
The battery is under the seat.|The battery is behind the engine.
The prince was raised by his grandmother.|The prince was raised by his uncle.
The medal is made of bronze.|The medal is made of silver.
The show was cancelled because of a strike.|The show was cancelled because of a flood.
Applications are decided by the mayor.|Applications are decided by the school board.
The shell protects the animal from heat.|The shell protects the animal from predators.
The symphony opens with a flute.|The symphony opens with a trumpet.
The disease is spread by mosquitoes.|The disease is spread by ticks.
The password is stored as a hash.|The password is stored as plain text.
The cargo was mostly timber.|The cargo was mostly sugar.
The garden is watered from a well.|The garden is watered from a river.
The rebels were led by a priest.|The rebels were led by a baker.
Swelling is treated with ice.|Swelling is treated with heat.
The dish is served with rice.|The dish is served with potatoes.
The money goes to the orphanage.|The money goes to the theatre.
The paint is thinned with water.|The paint is thinned with spirit.
The planet is named after a god of war.|The planet is named after a god of the sea.
The letter was written in pencil.|The letter was written in ink.
The train stops at the brewery.|The train stops at the stadium.
The fever is caused by a virus.|The fever is caused by a fungus.
Milk of this kind comes from goats.|Milk of this kind comes from sheep.
The lock is opened with a card.|The lock is opened with a code.
""")
"""One thing swapped for its like; nothing was fitted to them."""
