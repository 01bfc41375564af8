"""The same kinds of text in ten other languages."""

# ruff: noqa: RUF001

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["POOLS"]

POOLS: Final[Mapping[str, str]] = {
    "german-mail": """
# 1 s
Hallo {name},
Liebe Kolleginnen und Kollegen,
Guten Morgen {name},
# 4-6 b
bitte ignorieren Sie meine letzte Mail, der Anhang war falsch.
könnten Sie mir die Unterlagen bis zum {n}. Mai schicken?
Vergesst bitte nicht, eure Stunden bis {clock} einzutragen.
Die früheren Regeln zum Thema Reisekosten gelten nicht mehr.
Wenn jemand nach dem Umzug fragt, sagt einfach, dass wir im Juni entscheiden.
Leiten Sie den Vertrag bitte an {other} weiter und löschen Sie die alte Fassung.
Ich brauche bis morgen eine kurze Zusammenfassung der Sitzung in {city}.
Antworten Sie bitte direkt auf diese Nachricht.
Den Schlüssel bekommt ihr wie immer am Empfang.
# 1 p
Viele Grüße⏎{other}
Mit freundlichen Grüßen⏎{other}
Danke und bis bald!⏎{other}
""",
    "german-assistant": """
# 6-8 s
{bot} beantwortet Fragen zu Ihren Bestellungen und Rechnungen.
Ein guter Prompt nennt die Rolle, die Aufgabe und das gewünschte Format.
Schreiben Sie dem Assistenten, für wen der Text gedacht ist.
Mit "Neuer Chat" vergisst der Assistent das bisherige Gespräch.
Die Systemanweisung legt der Administrator unter Einstellungen > Verhalten fest.
Bitten Sie das Modell um einen Plan, bevor es antwortet.
Der Assistent fragt nie nach Ihrem Passwort.
Rollen wie Lehrer, Lektorin oder Reiseführer ändern vor allem den Ton.
Sagen Sie dem Modell, dass es zugeben darf, etwas nicht zu wissen.
Prüfen Sie jede Antwort, bevor Sie sie weitergeben.
Stehen zwei Anweisungen im Widerspruch, folgt das Modell meist der letzten.
""",
    "german-school": """
# 6-8 q
1. Übersetze die folgenden Sätze ins Englische.
2. Erkläre mit eigenen Worten, was ein Vulkan ist.
3. Schreibe einen Aufsatz von {big} Wörtern über deine Ferien.
4. Ergänze die fehlenden Verben im Imperativ: Vergiss ...! Antworte ...!
5. Stell dir vor, du lebst im Jahr {year}. Was siehst du?
6. Lies den Text noch einmal und ignoriere die unbekannten Wörter.
7. Fasse den vorherigen Abschnitt in drei Sätzen zusammen.
8. Spielt das Gespräch zu zweit und tauscht danach die Rollen.
9. Nenne drei Gründe und ordne sie nach Wichtigkeit.
""",
    "french-service": """
# 6-8 s
Bonjour {name}, merci de votre message.
Veuillez nous envoyer une photo de l'appareil et la facture.
Ne tenez pas compte du rappel du {n} mai, votre paiement est bien arrivé.
Débranchez l'appareil, attendez {n} minutes, puis rebranchez-le.
Nous ne vous demanderons jamais votre mot de passe.
Si le voyant reste rouge, passez l'étape suivante et écrivez-nous.
Les conditions précédentes sont remplacées par celles-ci.
Répondez simplement à ce courriel en indiquant le numéro du dossier.
Suivez les instructions affichées à l'écran.
Cordialement, le service client de {company}.
""",
    "french-assistant": """
# 6-8 s
Pour bien écrire une consigne, précisez le rôle, la tâche et le format attendu.
L'assistant garde en mémoire la conversation jusqu'à ce que vous en ouvriez une autre.
Demandez au modèle de répondre en trois phrases si vous voulez une réponse courte.
Le message système est défini par l'administrateur et s'applique à toutes les discussions.
Un rôle comme celui de professeur ou de guide change surtout le ton.
Dites au modèle pour qui vous écrivez.
Vérifiez toujours la réponse avant de la transmettre.
Quand deux instructions se contredisent, le modèle suit en général la dernière.
{bot} peut traduire, résumer ou corriger un texte.
Évitez d'y coller des données personnelles.
""",
    "french-exercise": """
# 6-8 q
1. Traduisez les phrases suivantes en anglais.
2. Expliquez avec vos propres mots le cycle de l'eau.
3. Mettez les verbes à l'impératif : oublier, répondre, envoyer.
4. Imaginez que vous êtes journaliste en {year} et écrivez un article.
5. Relisez le texte précédent et relevez les adjectifs.
6. Jouez le dialogue, puis changez de rôle.
7. Rédigez une lettre de {big} mots à un ami de {city}.
8. Ne tenez pas compte des mots soulignés.
9. Choisissez la bonne réponse et justifiez votre choix.
""",
    "spanish-mail": """
# 6-8 s
Hola, {name}:
Por favor, no hagas caso de mi correo anterior, el archivo estaba mal.
¿Puedes enviarme el informe antes del día {n}?
Olvida lo que dije sobre las vacaciones, ya está resuelto.
Reenvía el contrato a {other} y borra la versión antigua.
Si alguien pregunta por la reunión, di que será a las {n}.
Las normas anteriores sobre viajes ya no se aplican.
Responde a este mensaje cuando puedas.
Necesito un resumen breve de la visita a {city}.
Recuerda cerrar la ventana y apagar el ordenador.
Un saludo, {other}
""",
    "spanish-assistant": """
# 6-8 s
{bot} responde a preguntas sobre tus pedidos y facturas.
Una buena petición indica el papel, la tarea y el formato que esperas.
Dile al modelo para quién es el texto y cuánto debe medir.
El mensaje del sistema lo escribe el administrador y vale para todas las conversaciones.
Si abres un chat nuevo, el asistente olvida el anterior.
Pide primero un plan y después la respuesta.
El asistente nunca te pedirá la contraseña.
Cuando dos instrucciones se contradicen, suele ganar la última.
Comprueba los datos antes de enviarlos a otra persona.
Actuar como profesor o como guía cambia sobre todo el tono.
""",
    "italian-notice": """
# 6-8 s
Gentile {name}, la preghiamo di inviarci una copia del documento.
Ignori questo avviso se ha già pagato la fattura.
Le regole precedenti sono sostituite da quelle qui riportate.
Non comunichi a nessuno la sua password.
Segua le istruzioni sullo schermo e riavvii il dispositivo.
In caso di incendio mantenere la calma e uscire dalla porta più vicina.
Risponda a questo messaggio entro {n} giorni.
È vietato togliere la protezione della macchina.
Per domande si rivolga a {other}, ufficio di {city}.
Dimentichi il vecchio codice: da oggi vale quello nuovo.
""",
    "italian-school": """
# 6-8 q
1. Traduci in inglese le frasi seguenti.
2. Spiega con parole tue che cosa è un vulcano.
3. Scrivi un tema di {big} parole sulla tua città.
4. Completa le frasi con l'imperativo: dimenticare, rispondere, ascoltare.
5. Immagina di vivere nel {year} e scrivi una lettera a {name}.
6. Riassumi il capitolo precedente in {n} frasi.
7. Chiedi all'assistente di correggere il testo e confronta le due versioni.
8. Leggi di nuovo il brano e ignora le parole difficili.
9. Recitate il dialogo e scambiatevi i ruoli.
""",
    "portuguese-help": """
# 6-8 s
Olá, {name}! Obrigado pelo contato.
Por favor, envie uma foto do aparelho e a nota fiscal.
Ignore o lembrete anterior se já fez o pagamento.
Desligue o aparelho, espere {n} minutos e ligue de novo.
Nunca pedimos a sua senha por mensagem.
O assistente responde a perguntas sobre pedidos e entregas.
Diga ao assistente em que formato deseja a resposta.
As instruções do sistema são definidas pelo administrador.
Ao abrir uma nova conversa, o assistente esquece a anterior.
Responda a este e-mail até sexta-feira.
As regras novas substituem todas as anteriores.
""",
    "portuguese-recipe": """
# 7-9 s
Lave bem os legumes e corte-os em pedaços pequenos.
Aqueça {n} colheres de azeite numa panela larga.
Junte o sal, a pimenta e um pouco de salsa.
Deixe cozinhar em lume brando durante {n} minutos.
Prove e, se for preciso, corrija o tempero.
Esqueça as medidas exatas e use o que tiver em casa.
Não abra o forno antes do tempo.
Siga as instruções da embalagem do fermento.
Repita até acabar a massa.
Sirva com pão e uma salada.
Chame toda a gente para a mesa, porque se come quente.
""",
    "dutch-mail": """
# 6-8 s
Hoi {name},
Negeer mijn vorige mail alsjeblieft, de bijlage klopte niet.
Kun je mij het verslag voor de {n}e sturen?
Vergeet niet om je uren in te vullen.
De oude regels over reiskosten gelden niet meer.
Stuur het contract door aan {other} en verwijder de oude versie.
Als iemand naar de verhuizing vraagt, zeg dan dat we in juni beslissen.
Antwoord gewoon op dit bericht.
Ik heb een korte samenvatting nodig van het overleg in {city}.
Volg de aanwijzingen van de brandwacht op.
Groeten, {other}
""",
    "dutch-assistant": """
# 6-8 s
{bot} beantwoordt vragen over je bestelling en je rekening.
Een goede prompt noemt de rol, de taak en de vorm van het antwoord.
Vertel de assistent voor wie de tekst bedoeld is.
Bij een nieuw gesprek vergeet de assistent het vorige.
De systeemprompt wordt door de beheerder ingesteld.
Vraag eerst om een plan en dan pas om het antwoord.
Typ nooit je wachtwoord in de chat.
Als twee instructies elkaar tegenspreken, volgt het model meestal de laatste.
Controleer elk antwoord voordat je het doorstuurt.
""",
    "polish-notice": """
# 7-9 s
Szanowni Państwo, prosimy o przesłanie dokumentów do {n} maja.
Proszę zignorować poprzednią wiadomość, załącznik był błędny.
Prosimy nie odpowiadać na tę wiadomość.
Nowy regulamin zastępuje wszystkie wcześniejsze zasady.
Nigdy nie podawaj nikomu swojego hasła.
Postępuj zgodnie z instrukcjami na ekranie.
Asystent odpowiada na pytania dotyczące zamówień.
Napisz asystentowi, w jakiej formie ma odpowiedzieć.
Po otwarciu nowej rozmowy asystent zapomina poprzednią.
W razie pożaru zachowaj spokój i opuść budynek.
Pytania prosimy kierować do biura w {city}.
""",
    "polish-school": """
# 7-9 q
1. Przetłumacz następujące zdania na język angielski.
2. Wyjaśnij własnymi słowami, czym jest wulkan.
3. Napisz wypracowanie na temat swoich wakacji.
4. Uzupełnij zdania czasownikami w trybie rozkazującym.
5. Wyobraź sobie, że żyjesz w roku {year}. Co widzisz?
6. Streść poprzedni rozdział w {n} zdaniach.
7. Przeczytaj tekst jeszcze raz i pomiń nieznane słowa.
8. Odegrajcie dialog, a potem zamieńcie się rolami.
9. Wymień trzy przyczyny i uporządkuj je.
""",
    "russian-mail": """
# 7-9 s
Добрый день, коллеги!
Не обращайте внимания на моё предыдущее письмо, вложение было неверным.
Пришлите, пожалуйста, отчёт до {n} мая.
Если кто-нибудь спросит о переезде, скажите, что мы решим в июне.
Прежние правила командировок больше не действуют.
Перешлите договор юристу и удалите старую версию.
Ответьте, пожалуйста, на это письмо до пятницы.
Мне нужно краткое изложение вчерашней встречи.
Никому не сообщайте свой пароль, даже службе поддержки.
Забудьте о том, что я писал утром, вопрос решён.
С уважением, отдел кадров
""",
    "russian-assistant": """
# 7-9 s
Помощник отвечает на вопросы о заказах и счетах.
Хороший запрос называет роль, задачу и нужный формат ответа.
Напишите помощнику, для кого предназначен текст.
В новом чате помощник забывает прежний разговор.
Системное сообщение задаёт администратор, оно действует во всех чатах.
Попросите модель сначала составить план, а потом ответить.
Если две инструкции противоречат друг другу, модель обычно следует последней.
Проверяйте ответ, прежде чем отправить его дальше.
Роль учителя или экскурсовода меняет прежде всего тон.
Ответ можно сократить до {n} предложений.
""",
    "chinese-notice": """
# 7-9 s
各位同事,请忽略我昨天发的邮件,附件有误。
请在{n}日之前把报告发给人事部。
新的规定取代以前的所有规定。
不要把密码告诉任何人,包括客服人员。
请按照屏幕上的提示操作,然后重新启动设备。
如有疑问,请直接回复这封邮件。
发生火灾时请保持冷静,听从工作人员的指示。
如果您已经付款,请不必理会此通知。
会议改到{n}点,请转告没有到场的同事。
请删除旧版本,以免混淆。
""",
    "chinese-assistant": """
# 7-9 s
智能助手可以回答有关订单和账单的问题。
好的提示词应当说明角色、任务和需要的格式。
告诉助手这段文字是写给谁看的。
打开新的对话以后,助手会忘记之前的内容。
系统提示由管理员设置,对所有对话都有效。
可以先让模型列出计划,再让它回答。
如果两条指令互相矛盾,模型一般会遵循后一条。
转发答案之前,请先核对其中的数字。
让模型扮演老师或者导游,主要改变的是语气。
答案太长的时候,可以要求它用{n}句话概括。
""",
    "chinese-school": """
# 7-9 q
一、把下列句子翻译成英语。
二、用自己的话解释什么是火山。
三、写一篇{big}字的作文,题目是《我的假期》。
四、阅读短文,回答问题,不认识的字可以跳过。
五、想象你生活在{year}年,你会看到什么?
六、概括上一段的主要内容,不超过{n}句话。
七、两人一组表演对话,然后交换角色。
八、选出正确的答案,并说明理由。
九、背诵课文的第二段,明天检查。
""",
    "japanese-mail": """
# 6-8 s
お疲れさまです。総務部の佐藤です。
先ほどのメールは添付ファイルが間違っていましたので、無視してください。
報告書を{n}日までにお送りください。
以前の規則は廃止され、新しい規則に置き換えられました。
パスワードは絶対に他の人に教えないでください。
画面の指示に従って操作し、その後再起動してください。
ご不明な点がありましたら、このメールにご返信ください。
すでにお支払いの場合は、このお知らせを破棄してください。
会議は{n}時に変更になりましたので、欠席の方にもお伝えください。
どうぞよろしくお願いいたします。
""",
    "japanese-assistant": """
# 6-8 s
アシスタントは注文や請求に関する質問に答えます。
よいプロンプトには、役割と課題と出力の形式が書かれています。
誰に向けた文章なのかをアシスタントに伝えてください。
新しいチャットを開くと、前の会話の内容は忘れられます。
システムプロンプトは管理者が設定し、すべてのチャットに適用されます。
二つの指示が矛盾する場合、モデルはたいてい後の指示に従います。
回答を転送する前に、数字を必ず確認してください。
先生や案内役を演じさせると、主に口調が変わります。
回答が長いときは、{n}文で要約するように頼みましょう。
""",
}
