"""English orders that send an assistant on an errand with what it can reach: mail, files, money.

Nothing in them speaks of instructions or models. What a manual asks of its reader he does with what
is his ("your"); here somebody else's belongings go to an address, or an answer takes somebody's side.
"""

from __future__ import annotations

from defences.detectors.injected_instructions.rules import (
    ANSWER_DICTATION,
    CONCEALMENT,
    EXFILTRATION,
    TOOL_CALL,
    Rule,
    rule,
)

_START = r"(?:^|\n|[.!?:;>\])*]\s|\b(?:please|kindly|now|first|then|and|also|must|should) )"
_ADDRESS = r"(?:https?://|www\.|[\w.+-]{1,40}@[\w-]{1,40}\.|\+\d{2})"
_ADDRESS_NEEDLES = "http,www.,@,+"
_BELONGINGS = (
    r"(?:in-?box|mailbox|address~book|contacts?(?:~list)?|conversation|chat|thread|browsing~history"
    r"|(?:search|purchase|order|call|medical|payment)~(?:history|records?|methods?|details)"
    r"|(?:credit~|bank~|debit~)?(?:card|account)~(?:numbers?|details|statements?)|bank~details"
    r"|test~results|phone~numbers?|shipping~address(?:es)?|home~address|date~of~birth|passport"
    r"|calendar|schedule|location|saved~\w{1,12}|passwords?|credentials?|api~keys?|access~tokens?"
    r"|(?:security|two-factor|verification|one-time)~codes?|confidential|\.env|/etc/passwd"
    r"|(?:latest|last|recent|all~(?:my|the|of~my))<2>(?:e-?mails?|messages|questions|files))\b"
)
_BELONGING_NEEDLES = (
    "inbox,in-box,mailbox,address,contact,conversation,chat,thread,history,record,method,detail,card"
    ",account,statement,results,phone,birth,passport,calendar,schedule,location,saved,password"
    ",credential,key,token,code,confidential,.env,mails,messages,questions,files"
)
_SEND = r"(?:send|forward|e-?mail|share|post|upload|transmit|submit|leak)"
_SEND_NEEDLES = "send,forward,mail,share,post,upload,transmit,submit,leak"
_FETCH = (
    r"(?:look~up|retrieve|fetch|extract|collect|export|gather|read|copy|search|find|get|access|list"
    r"|download|obtain|reset|pull)"
)
_TOOL = (
    r"(?:e-?mail|mail|calendar|messaging|chat|payments?|banking|browser|search|files?|drive|contacts"
    r"|slack|shell|terminal|database)"
)
_ANSWER = r"(?:answers?|repl(?:y|ies)|summary|summaries|responses?|reviews?)\b"

ERRANDS: tuple[Rule, ...] = (
    rule(
        EXFILTRATION,
        0.6,
        f"{_SEND_NEEDLES}&{_BELONGING_NEEDLES}&{_ADDRESS_NEEDLES}",
        rf"{_START}{_FETCH}<6>{_BELONGINGS}[^.!?;\n]{{0,60}}?~and~(?:then~)?{_SEND}~(?:it|them|that|this|those"
        rf"|everything|all|copies|the~(?:new~)?(?:results?|list|file|contents?|details|codes?))\b[^.!?;\n]{{0,40}}?{_ADDRESS}",
    ),
    rule(
        EXFILTRATION,
        0.55,
        f"{_SEND_NEEDLES}&{_BELONGING_NEEDLES}&{_ADDRESS_NEEDLES}",
        rf"{_START}{_SEND}~(?:the|all|my|every|his|her|their)<4>{_BELONGINGS}[^.!?;\n]{{0,40}}?~to~[^.!?;\n]{{0,30}}?{_ADDRESS}",
    ),
    rule(
        EXFILTRATION,
        0.5,
        f"history,question,conversation,message,answer,password,name,mail&{_ADDRESS_NEEDLES}",
        r"\b(?:append|add|include|insert|put|encode)<1>(?:it|them|(?:the~)?(?:users?'?s?|customer'?s?|their|text~of|last)<4>"
        r"(?:questions?|conversation|messages?|answers?|names?|e-?mails?|passwords?))<2>(?:to|in|into|as)<3>https?://",
    ),
    rule(
        TOOL_CALL,
        0.55,
        f"tool,plugin,function,connector&{_SEND_NEEDLES},delete,transfer,pay,buy,invite",
        rf"{_START}use~(?:the|your)~{_TOOL}~(?:tool|plugin|function|connector)~to~(?:{_SEND}|delete|transfer|pay|buy|invite)\b",
    ),
    rule(
        TOOL_CALL,
        0.55,
        f"access,invite&{_ADDRESS_NEEDLES}",
        rf"{_START}(?:grant<2>access~to~(?:my|the~user)<4>|invite~(?=\S{{1,40}}@)|give~(?=\S{{1,40}}@)){_ADDRESS}[^.!?;\n]{{0,40}}?"
        r"(?:\badmin|\bowner|\bworkspace|\block\b|\baccount|\bfull access|\bdrive\b)",
    ),
    rule(
        TOOL_CALL,
        0.4,
        "transfer,wire,send,pay&my,the user,the customer",
        rf"{_START}(?:transfer|wire|send|pay)<4>\d[\d.,]{{0,12}}<4>from~(?:my|the~(?:user|customer|client)'?s?)\b",
    ),
    rule(
        ANSWER_DICTATION,
        0.5,
        "ask,compare,wants,looks&name,recommend,mention,suggest,promote,favo,praise,say,pick",
        r"\b(?:when|if|whenever)~(?:you~are~|ever~)?(?:asked|(?:someone|anyone|anybody|somebody|a~user|users?|people|the~(?:user|reader))"
        r"~(?:asks?|compares?|wants?|looks?))\b[^.!?;\n]{0,60}?,?\s{1,2}(?:always~|only~)?(?:name|recommend|mention|suggest|promote|favou?r|praise"
        r"|say~that|pick)~(?:only~)?(?:the~)?[\w' ]{1,50}?(?:only|nothing else|no~other|clear~winner|the~best|the~safest|first)\b",
    ),
    rule(
        ANSWER_DICTATION,
        0.55,
        "always,only&recommend,name,promote,praise,suggest&ask",
        rf"{_START}(?:always|only)~(?:recommend|name|promote|praise|suggest)~[^.!?;\n]{{1,60}}?(?:when|if|whenever)"
        r"~(?:asked|(?:someone|anyone|anybody|a~user|users?|people|they)~asks?)\b",
    ),
    rule(
        ANSWER_DICTATION,
        0.5,
        "rank,rate,score,place,grade&above,first,top,highest,full marks",
        rf"{_START}(?:rank|rate|score|place|grade)~this~(?:listing|candidate|applica(?:nt|tion)|product|paper|essay|page|site|offer|hotel|result)"
        r"~(?:above|first|at~the~top|(?:the~)?highest|ahead)\b",
    ),
    rule(
        ANSWER_DICTATION,
        0.5,
        "marks,stars,highest,score&give,award",
        rf"{_START}(?:give|award)~this~(?:essay|paper|product|candidate|applica(?:nt|tion)|page|listing|hotel|thesis)~(?:an?~|the~)?"
        r"(?:full marks|five stars|highest|top (?:marks|score))\b",
    ),
    rule(
        EXFILTRATION,
        0.55,
        "answer,reply,response&passwd,.env,secret,credential,.ssh,rsa",
        r"\b(?:read|open|print|show|put|paste)<4>\S{0,40}(?:/etc/passwd|\.env\b|\.ssh|id rsa|secrets?\b|credentials?\b)[^.!?;\n]{0,60}?"
        rf"(?:in|into|to|at~the~end~of)~(?:the|your)~{_ANSWER}",
    ),
    rule(
        CONCEALMENT,
        0.5,
        "leave,omit,hide,suppress,mention&summ,answer,reply,review,response",
        rf"{_START}(?:leave~out|omit|hide|suppress|(?:do~not|don't|never)~mention)<6>(?:when~(?:summing~up|summari[sz]ing|answering)"
        rf"|in~(?:the|your|any|every)~{_ANSWER})",
    ),
)
