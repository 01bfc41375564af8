"""What an injected instruction sounds like: families of phrasing, and the English ones.

A pattern runs over folded text (`views.fold`): lower case, Latin letters without accents, `_` as
a space. It is written in a small shorthand so that no rule can join unrelated clauses or take
more than linear time:

    `~`     the gap between two words: one to four characters, no clause end among them
    `<n>`   the same with up to n words in it
    ` `     white space or nothing more than a line break
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_BREAK = r"[^\w.!?;:|]{1,4}"
_GAP = re.compile(r"<(\d)>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One phrasing of a family.

    Attributes:
        family: Kebab-case kind of order; the finding's rule is `injected-instructions.<family>`.
        strength: How likely a match in plain visible prose is an attack, in [0, 1].
        needles: Of every group at least one must occur in the text, or the pattern is not tried.
    """

    family: str
    strength: float
    pattern: re.Pattern[str]
    needles: tuple[tuple[str, ...], ...]

    def applies(self, text: str) -> bool:
        return all(any(needle in text for needle in group) for group in self.needles)


def rule(family: str, strength: float, needles: str, shorthand: str) -> Rule:
    """Return the rule of a pattern in shorthand; `needles` is groups parted by `&`, `,` inside."""
    wordy = _GAP.sub(
        lambda gap: rf"{_BREAK}(?:[\w']{{1,20}}{_BREAK}){{0,{gap[1]}}}?", shorthand
    ).replace("~", _BREAK)
    return Rule(
        family=family,
        strength=strength,
        pattern=re.compile(wordy.replace(" ", r"\s{1,3}")),
        needles=tuple(
            tuple(needle.strip() for needle in group.split(",")) for group in needles.split("&")
        ),
    )


OVERRIDE = "override"
MODEL_ADDRESS = "model-address"
ROLE_MARKUP = "role-markup"
EXFILTRATION = "exfiltration"
PROMPT_EXTRACTION = "prompt-extraction"
ANSWER_DICTATION = "answer-dictation"
CONCEALMENT = "concealment"
TOOL_CALL = "tool-call"
GUARDRAIL_REMOVAL = "guardrail-removal"
ENCODED_ORDER = "encoded-order"

_DROP = (
    r"\b(?:ignor(?:e|es|ing)|disregard(?:ing)?|forget(?:ting)?|overlook|bypass(?:ing)?"
    r"|overrid(?:e|es|ing)|overrule|discard|dismiss|neglect|abandon|drop|supersedes?|cancel"
    r"|(?:do not|don't|stop|cease)~(?:follow|obey|heed|comply~with)(?:ing)?"
    r"|(?:put|set|leave|cast)~aside|pay~no~attention~to|throw~(?:out|away)|erase|wipe)\b"
)
_DROP_NEEDLES = (
    "ignor,disregard,forget,overlook,bypass,overrid,overrul,discard,dismiss,neglect,abandon,drop,"
    "supersede,cancel,follow,obey,heed,comply,aside,attention,throw,erase,wipe"
)
_EARLIER = (
    r"(?:previous(?:ly)?|prior|preceding|above|earlier|foregoing|former|past|initial|original"
    r"|preset|existing|aforementioned|before)"
)
_ORDERS = (
    r"(?:instructions?|directives?|prompts?|guidelines?|directions?|orders|programming|training"
    r"|system~(?:prompt|message))\b"
)
_LOOSE_ORDERS = (
    r"(?:rules?|commands?|context|constraints?|tasks?|assignments?|requests?|messages?|restrictions?"
    r"|polic(?:y|ies)|protocols?|text|conversation|information|content)\b"
)
_MODEL = (
    r"(?:ai|a\.i\.|llms?|ais|language models?|large language models?|chatbots?|gpt(?:-?\d)?|chatgpt"
    r"|claude|gemini|copilot|ai (?:assistant|agent|model|system|bot|tool|crawler)s?)\b"
)
_MODEL_OR_ASSISTANT = rf"(?:{_MODEL}|(?:assistant|bot|model|agent)s?\b)"
_MODEL_NEEDLES = (
    "ai,a.i.,llm,language model,chatbot,gpt,claude,gemini,copilot,assistant,bot,model,agent"
)
_SECRETS = (
    r"(?:conversation|chat (?:log|history)|api keys?|passwords?|credentials?|secrets?|access tokens?"
    r"|customer (?:list|data|database|records|emails?|e-mails?)|user(?:'s)? (?:data|e-?mails?|address"
    r"|password|name)|order data|personal data|system prompt|environment variables|session"
    r"|private (?:data|keys?)|last \w{1,8} (?:messages|e-?mails)|full (?:customer|user) \w{1,12})\b"
)
_ADDRESS = r"(?:https?://|www\.|[\w.+-]{1,40}@[\w-]{1,40}\.)"
_REPLY = (
    r"(?:answers?|responses?|reply|replies|summar(?:y|ies)|outputs?|reports?|reviews?|messages?)\b"
)
_TELL = r"(?:say|answer|respond|reply|state|claim|tell|report|recommend|insist|assert)\b"

ENGLISH: tuple[Rule, ...] = (
    # override
    rule(
        OVERRIDE,
        0.9,
        f"{_DROP_NEEDLES}&instruction,directive,prompt,guideline,direction,order,programming,training,system",
        rf"{_DROP}<3>{_EARLIER}<3>{_ORDERS}",
    ),
    rule(
        OVERRIDE,
        0.6,
        f"{_DROP_NEEDLES}&rule,command,context,constrain,task,assign,request,message,restrict,polic,protocol,text,conversation,information,content",
        rf"{_DROP}<1>(?:all|any|every|everything)<3>{_EARLIER}<2>{_LOOSE_ORDERS}",
    ),
    rule(
        OVERRIDE,
        0.8,
        f"{_DROP_NEEDLES}&instruction,directive,prompt,guideline,direction,order,programming,training,system",
        rf"{_DROP}<2>(?:your|ur|all (?:the )?(?:developer|system)|developer and system)<4>{_ORDERS}",
    ),
    rule(
        OVERRIDE,
        0.55,
        f"{_DROP_NEEDLES}&rule,constrain,task,assign,restrict,polic,protocol,limit,ethic,principle",
        rf"{_DROP}<1>(?:your|ur)<3>(?:rules?|constraints?|tasks?|assignments?|restrictions?|polic(?:y|ies)"
        r"|protocols?|limit(?:ation)?s|ethics?|principles)\b",
    ),
    rule(
        OVERRIDE,
        0.85,
        f"{_DROP_NEEDLES}&told,above,before,said,discussed,prior,previous,instructed,written",
        rf"{_DROP}~(?:about )?(?:everything|anything|all|whatever|what)<3>(?:told|instructed|said|above|before"
        r"|prior|previously|discussed|written|preceding)\b",
    ),
    rule(
        OVERRIDE,
        0.75,
        f"{_DROP_NEEDLES}&above,prior,preceding,previous,foregoing",
        rf"{_DROP}~(?:all )?(?:of )?(?:the|any)?(?: |~)?(?:above|foregoing|preceding)(?:~text)?(?:~and\b|~instead\b|[.,:]|$)",
    ),
    rule(
        OVERRIDE,
        0.55,
        "forget,disregard,ignor&everything,all,assignments",
        r"\b(?:forget|disregard|ignore)~(?:about~)?(?:everything|(?:all|about) (?:the )?(?:assignments|tasks|orders))"
        r"(?:\s?[,.!:]|~and\b|~now\b)",
    ),
    rule(
        OVERRIDE,
        0.5,
        "instruction,task,directive,orders",
        r"\b(?:new|updated|revised|real|actual|true|secret|priority)~(?:system )?(?:instructions?|tasks?|directives?|orders)"
        r"(?:~(?:is|are|for you)\b|~to~the~\w{1,12}\b)?\s?[:\-]",
    ),
    rule(
        OVERRIDE,
        0.7,
        "your&instruction,directive,task,role,goal,objective,orders,mission",
        r"\byour~(?:new|real|actual|true|only|updated)<1>(?:instructions?|directives?|tasks?|role|goal|objective|orders|mission)"
        r"<2>(?:is|are|now|supersedes?|to)\b",
    ),
    rule(
        OVERRIDE,
        0.55,
        "from now on,from this point,from here on,starting now",
        r"\b(?:from~(?:now|here)~on|from~this~point~(?:on|forward)|starting~now)<1>(?:you|ignore|act|respond|answer|always|only"
        r"|your)\b",
    ),
    rule(
        OVERRIDE,
        0.65,
        "override",
        r"(?:[\[<(*#]{1,3} ?|^|\n)(?:system|admin|developer|safety|priority|instruction|prompt) override\b|(?:^|\n)override:",
    ),
    rule(
        OVERRIDE,
        0.6,
        "instead&answer,follow,obey,user,task,question",
        r"\b(?:ignore|instead~of|rather~than)<3>the~(?:user|question|task|query)(?:'s)?<2>(?:and|instead|,|answer|output)\b",
    ),
    rule(
        OVERRIDE,
        0.6,
        "comply,obey",
        r"\b(?:must|shall|will|should)<1>(?:comply~with|obey)<2>(?:every|all|any|my|each)<1>(?:requests?|commands?|orders?|instructions?)\b",
    ),
    rule(
        OVERRIDE,
        0.6,
        "my&order,command,instruction,direction",
        r"\b(?:follow|obey|heed|consider|prioriti[sz]e|only)<2>(?:only|exclusively|solely)?~?my~(?:new |unique |own )?(?:orders|commands|"
        r"instructions|directives|directions)\b",
    ),
    # model-address
    rule(
        MODEL_ADDRESS,
        0.75,
        f"if you,when you,should you&{_MODEL_NEEDLES}",
        rf"\b(?:if|when|should)~you(?:~are|'re|~be)~(?:an?|the|any)?(?: |~)?(?:\w{{1,12}} )?(?:{_MODEL}|assistant\b|bot\b)",
    ),
    rule(
        MODEL_ADDRESS,
        0.6,
        f"note,notice,attention,message,instruction,important,directive,warning,order,hint,request,reminder&{_MODEL_NEEDLES}",
        rf"\b(?:notes?|notice|attention|messages?|important|directives?|warning|hint|request|reminder|(?:special |hidden )instructions?)"
        rf"~(?:to|for)~(?:any |all |the |every |each |our |your )?(?:{_MODEL}|(?:assistant|bot)s?\b)",
    ),
    rule(
        MODEL_ADDRESS,
        0.6,
        f"attention,dear,hey,hello,as the,as an&{_MODEL_NEEDLES}",
        rf"\b(?:(?:attention|dear|hey|hello|hi)[\s,:]{{1,2}}(?:{_MODEL}|assistant\b)|as~(?:an|the)~(?:{_MODEL}|assistant\b)[^\w.!?;]{{1,3}}"
        r"(?:you|please|always|never|do not|must|it is your)\b)",
    ),
    rule(
        MODEL_ADDRESS,
        0.7,
        f"reading,processing,summari,analy,parsing,reviewing,integrating,crawling,indexing,ingesting,evaluating&{_MODEL_NEEDLES}",
        rf"\b{_MODEL_OR_ASSISTANT}(?: or \w{{1,12}})?~(?:that (?:is|are) |who (?:is|are) |currently )?(?:reading|processing|summari[sz]ing|analy[sz]ing"
        r"|parsing|reviewing|integrating|crawling|indexing|ingesting|evaluating)~(?:this|these)\b",
    ),
    rule(
        MODEL_ADDRESS,
        0.5,
        "when you,as you,while you,after you,once you,before you&this",
        r"\b(?:when|as|while|after|once|before)~you<1>(?:process|summari[sz]e|analy[sz]e|index|parse|ingest)(?:ing)?"
        r"~this(?:~(?:page|document|text|file|email|e-mail|message|ticket|content|article|note))?\b",
    ),
    rule(
        MODEL_ADDRESS,
        0.45,
        "when you read,before you answer,before answering,before you reply,before you respond,before responding",
        r"\b(?:when~you~read~this|before~(?:you~(?:answer|reply|respond)|answering|responding)(?:~the~(?:user|question))?)[\s,]{1,3}"
        r"(?:\w{1,12} ){0,2}?(?:email|e-mail|send|forward|append|call|post|delete|reveal|say|output|print|include|add|recommend|ignore"
        r"|list|tell|stop|translate|summari[sz]e|insert|write|visit)\b",
    ),
    rule(
        MODEL_ADDRESS,
        0.6,
        "hereby,you must now,you are required,you are instructed,you have been",
        r"\byou~are~hereby~(?:instructed|ordered|commanded|directed|required)~to\b",
    ),
    rule(
        MODEL_ADDRESS,
        0.55,
        "ai agent,ai assistant,ai system,ai model,ai tool,llm,language model,chatbot",
        r"(?:^|\n|[.:>\-*\[(]\s?)(?:ai (?:agent|assistant|system|model|tool)s?|llms?|language models?|chatbots?)(?:\s?[:,]|<4>(?:should|must)<1>"
        r"(?:first|always|never|ignore|append|include|call|send|recommend|say|not))",
    ),
    rule(
        MODEL_ADDRESS,
        0.35,
        "processing this document,processing this page,processing this file,processing this",
        r"\b(?:as~part~of|to~complete|while|in)~processing~this~\w{1,12}",
    ),
    # role-markup
    rule(
        ROLE_MARKUP,
        0.6,
        "<|,[inst,[/inst,<<sys,<start of turn,<end of turn",
        r"<\|(?:im start|im end|system|user|assistant|end ?of ?text|start header id|eot id)\|>|\[/?inst\]|<</?sys>>|<(?:start|end) of turn>",
    ),
    rule(
        ROLE_MARKUP,
        0.5,
        "system",
        r"(?:^|\n)[\s>*#\[<(=\-]{0,6}(?:system|admin)~?(?:note|notice|update|message|alert|prompt|instructions?|command|directive)[\])>*]{0,3}\s?:",
    ),
    rule(
        ROLE_MARKUP,
        0.4,
        "system:,[system],### system,<system>,system]",
        r"(?:^|\n)\s{0,3}(?:system:(?= ?\w)|\[system\]|#{2,3} ?system:?\s|<system>|[*]{2}system[*]{2}:)",
    ),
    rule(
        ROLE_MARKUP,
        0.5,
        "instruction",
        r"(?:^|\n)#{2,4} ?(?:new |updated |human |system )?instructions?:~?\w|</?(?:system|hidden|secret|admin)[ -]?(?:instructions?|prompt)>",
    ),
    rule(
        ROLE_MARKUP,
        0.5,
        "end of",
        r"[-=#*<\[]{2,}~?end~of~(?:user |system |the )?(?:input|document|prompt|context|data|instructions?|message|text|file|article)\b",
    ),
    rule(
        ROLE_MARKUP,
        0.35,
        "<important>,<instruction,<prompt>,<admin>",
        r"<(?:important|instructions?|prompt|admin)>",
    ),
    # exfiltration
    rule(
        EXFILTRATION,
        0.75,
        "send,forward,post,mail,transmit,upload,leak,exfiltrat,submit,append,copy&http,www.,@",
        rf"\b(?:send|forward|post|e-?mail|transmit|upload|leak|exfiltrate|submit|append|copy)<4>{_SECRETS}[^.!?;\n]{{0,40}}?{_ADDRESS}",
    ),
    rule(
        EXFILTRATION,
        0.35,
        "send,forward,mail,transmit,upload,post&http,www.,@",
        rf"\b(?:send|forward|e-?mail|post|upload)~(?:an?~)?(?:copy~of~)?(?:this|the~(?:full|entire|above|processed))~"
        rf"(?:document|page|summary|text|result|file|report|message|content)s?[^.!?;\n]{{0,40}}?{_ADDRESS}",
    ),
    rule(
        EXFILTRATION,
        0.4,
        "send,forward,transmit,leak,exfiltrat,dump&conversation,chat,api key,password,credential,secret,customer,user,system prompt,environment,order data,personal data",
        rf"(?:^|\n|[.:;,\])]\s|\b(?:and|then|must|please|to|also|instead) )(?:send|forward|e-?mail|transmit|leak|exfiltrate|dump)"
        rf"~(?:all |the |every |me )?(?:\w{{1,10}} )?{_SECRETS}<4>(?:to|externally|at)\b",
    ),
    rule(
        EXFILTRATION,
        0.8,
        "![,<img",
        r"(?:!\[[^\]\n]{0,80}\]\(|<img[^>\n]{1,80}?src=[\"']?)https?://[^\s)\"'>]{1,200}?[?&/][\w.-]{1,40}=(?:[\[{<$]|%7b|%3c|%5b|\.{3}|(?=[)\"'\s>])"
        r"|(?:your|user|data|secret|conversation|chat|history|summary|prompt)[-\w]{0,20}[)\"'\s>])",
    ),
    rule(
        EXFILTRATION,
        0.7,
        "you can see,you can access,you have access,you know,you have seen,available to you&key,password,credential,secret,variable,token,data,file,message",
        r"\b(?:list|show|reveal|output|print|dump|expose|collect|repeat)<3>(?:api~keys?|passwords?|credentials?|secrets?|environment~variables"
        r"|tokens?|data|files|messages)<2>you~(?:can~(?:see|access|read)|have~(?:access|seen)|know)\b",
    ),
    rule(
        EXFILTRATION,
        0.55,
        "ask&password,credit card,card number,credential,api key",
        r"\bask~(?:the~)?(?:user|reader|customer|them)<1>for<3>(?:password|credit~card|card~number|credentials?|api~key)",
    ),
    rule(
        EXFILTRATION,
        0.5,
        "tell,ask,direct,instruct,convince&visit,click,download,log in,verify",
        r"\b(?:tell|instruct|convince|direct)~(?:the~)?(?:user|reader|customer|them)s?~to~(?:visit|click|download|log in|verify|go to|open)"
        rf"[^.!?;\n]{{0,30}}?{_ADDRESS}",
    ),
    rule(
        EXFILTRATION,
        0.5,
        "append,add,encode,include,put&http",
        rf"\b(?:append|encode|add|put|include)<6>(?:to|in|into|as)<3>{_ADDRESS}",
    ),
    # prompt-extraction
    rule(
        PROMPT_EXTRACTION,
        0.7,
        "prompt,instruction,directive,guideline,configuration,restriction,constraint,programming,message,rules",
        r"\b(?:reveal|show|print|repeat|share|tell|output|display|disclose|expose|leak|recite|translate|describe|give|provide|list|dump|state|divulge"
        r"|write|read|summari[sz]e)<3>(?:your|ur|the)~(?:\w{1,14}~)?(?:(?:system|hidden|secret|initial|internal|original|base|core|underlying|confidential|full)~"
        r"(?:prompts?|instructions?|messages?|directives?|guidelines?|configuration|programming|constraints?|restrictions?|rules))\b",
    ),
    rule(
        PROMPT_EXTRACTION,
        0.55,
        "your&prompt,instruction,directive,guideline,restriction,constraint,programming,parameters",
        r"\b(?:reveal|print|repeat|share|output|display|disclose|expose|leak|recite|divulge|show~me|tell~me|give~me)~(?:all~|of~)?(?:your|ur)~(?:\w{1,14}~)?"
        r"(?:prompts?|instructions?|directives?|guidelines?|configuration|programming|constraints?|restrictions?|operational~parameters)\b",
    ),
    rule(
        PROMPT_EXTRACTION,
        0.5,
        "instructions you were,instructions you have,prompt you were,words above,told to do,were you given,conversation above",
        r"\b(?:(?:instructions?|prompt|rules)~(?:that~)?you~(?:were|have~been)~(?:given|told)|repeat~the~(?:words|text)~above|starting~with~\W?you are)\b",
    ),
    # answer-dictation
    rule(
        ANSWER_DICTATION,
        0.5,
        "asked,asks,ask ,questioned,queried&say,answer,respond,reply,state,claim,tell,report,recommend,insist",
        rf"\b(?:when|if|whenever)~(?:you~are~|you're~|ever~)?(?:asked|questioned|queried|(?:the~user|someone|anyone|a~user|they|users)~asks?)"
        rf"[^.!?;\n]{{0,80}}?[\s,]{{1,3}}(?:you~(?:must|should|will|shall)~|always~|only~|please~|just~)?{_TELL}(?:~that\b|~with\b|~only\b|~it\b|\s?[:\"'])",
    ),
    rule(
        ANSWER_DICTATION,
        0.45,
        "always&answer,respond,reply,say,recommend,claim,state",
        r"(?:^|\n|[.!?:;,]\s{1,2}|\b(?:must|you|should|please|and|will|to) )always~(?:answer|respond|reply|say|recommend|claim|state|insist)~"
        r"(?:that|with|only|the|to~(?:every|any|all)|every|any)\b",
    ),
    rule(
        ANSWER_DICTATION,
        0.5,
        "your,every,each,all future&answer,response,reply,replies,summar,output,report,review",
        rf"\b(?:append|insert|prepend|attach)<7>(?:to|in|at|of|into)<3>(?:your|every|each|any|all|future)<2>{_REPLY}",
    ),
    rule(
        ANSWER_DICTATION,
        0.55,
        "every,each,all future,any&answer,response,reply,replies,summar,output,report,review",
        rf"\b(?:include|add|mention|put|repeat|end|begin|start|use)<7>(?:to|in|at|of|into|with)?~?(?:every|each|all~future|any~future|future)<1>{_REPLY}",
    ),
    rule(
        ANSWER_DICTATION,
        0.45,
        "in your answer,in your response,in your summary,in your reply,of your answer,of your response,of your reply,of your summary,your answer with,your response with,your reply with,your summary with,of your review,your review with",
        r"\b(?:must|always|you|exact|exactly|token|code|phrase|sentence|words?)<6>(?:in|of|end|begin|start)?~?your~(?:answer|response|reply|summary|review)\b",
    ),
    rule(
        ANSWER_DICTATION,
        0.6,
        "summari,describe,rate,rank,classify,mark,report&as,no content",
        r"\b(?:summari[sz]e|describe|classify|rate|rank|report|mark)~this~(?:page|document|article|file|text|email|e-mail|message|candidate|product|paper"
        r"|domain|site)~as\b",
    ),
    rule(
        ANSWER_DICTATION,
        0.45,
        "stop answering,refuse to answer,refuse all,do not answer,don't answer",
        r"\b(?:stop~answering|refuse~to~answer|(?:do~not|don't)~answer~(?:the|any|user|this))\b",
    ),
    rule(
        ANSWER_DICTATION,
        0.6,
        "pwned,p w n e d,hacked,lol",
        r"\b(?:i~have~been~)(?:p ?w ?n ?e ?d|hacked|owned)\b",
    ),
    rule(
        ANSWER_DICTATION,
        0.45,
        "as the only,as the best,as the safest,has no known,is completely safe,not malicious",
        r"(?:^|\n|[.:,>\]]\s|\b(?:and|must|to|please|but) )(?:recommend|promote|endorse|praise|say~that|claim~that|state~that|report~that)<6>"
        r"(?:as~the~(?:only|best|safest)|has~no~known|is~(?:completely |perfectly )?(?:safe|not~malicious))\b",
    ),
    rule(
        ANSWER_DICTATION,
        0.45,
        "outdated,obsolete,incorrect,wrong&corpus,corpora,source,document,passage,article,information",
        r"\b(?:many|some|several|numerous|other|all)<1>(?:outdated|obsolete|incorrect|wrong)<1>(?:corpus|corpora|sources?|documents?|passages?|articles?)"
        r"<2>(?:stat|say|claim|indicat|suggest|assert)\w{0,4}\b",
    ),
    rule(
        ANSWER_DICTATION,
        0.4,
        "answer is,answer must be,answer should be,answer to",
        r"\b(?:the~)?(?:incorrect|correct|right|wrong|only|only~correct|true|final)~answer(?:~to~(?:this|the|any)~(?:question|query))?"
        r"~(?:is|must~be|should~be|was)\b",
    ),
    rule(
        ANSWER_DICTATION,
        0.45,
        "output,print,respond,reply,answer,write&following,nothing else,exactly,verbatim,only",
        r"\b(?:instead|only|just|simply|all you have to do is(?:~to)?)~(?:output|print|respond~with|reply~with|answer~with|write|say)<2>"
        r"(?:the~(?:following|words?|phrase|sentence|text|translation)|exactly|\W?[\"'])",
    ),
    # concealment
    rule(
        CONCEALMENT,
        0.55,
        "user,reader,anyone,human,customer,operator,owner&tell,mention,reveal,inform,alert,notif,let,warn,show",
        r"\b(?:do~not|don't|never|without|must~not)~(?:tell|reveal|inform|alert|notify|warn|mention|let|show|telling|informing|alerting|notifying|warning)"
        r"~(?:(?:this|it|that|any~of~this)~to~)?(?:the~|your~|any~)?(?:users?|readers?|anyone|humans?|customers?|operators?|owners?)\b"
        r"(?!~(?:to|how|that|what|where|when|which|why|whether|if|they|their|has|have|is|are|can|input|name|id|account)\b|'s)",
    ),
    rule(
        CONCEALMENT,
        0.6,
        "mention,reveal,disclose,refer,acknowledge,repeat&instruction,prompt,note,message,directive",
        r"\b(?:do~not|don't|never|without)~(?:mention|reveal|disclos|refer~to|acknowledg|discuss)(?:e|ing|ed)?<1>(?:this|these|the~above)<1>"
        r"(?:instructions?|prompt|note|message|directive|rule)s?\b",
    ),
    rule(
        CONCEALMENT,
        0.5,
        "keep this,secret,hidden,silently,confidential,not be mentioned",
        r"\bkeep~(?:this|these|it)<2>(?:secret|hidden|confidential|invisible)~from~(?:the~)?(?:user|reader|human|customer|operator)s?\b",
    ),
    # tool-call
    rule(
        TOOL_CALL,
        0.55,
        "send email,delete file,http post,http get,read file,write file,send message,run command,execute command,run shell,delete all,transfer,send money,delete user",
        r"\b(?:call|invoke|use|run|execute|trigger)~(?:the~)?(?:\w{1,12}~)?(?:send ?email|delete ?files?|http ?(?:post|get|request)|read ?file|write ?file|send ?message"
        r"|(?:run|execute) ?(?:command|shell|code)|send ?money|transfer ?funds|delete ?(?:user|all|record)s?)\b(?!\()",
    ),
    rule(
        TOOL_CALL,
        0.3,
        "tool,function,plugin&call,invoke,use",
        r"(?:^|\n|[.:!]\s|\b(?:must|please|now|immediately|first|also|and|then) )(?:call|invoke)~the~\w{1,20}(?: \w{1,20})?~(?:tool|function|plugin)~(?:on|with|and|to)\b",
    ),
    rule(
        TOOL_CALL,
        0.4,
        '<tool call,<function call,<invoke,"tool call,"function call',
        r"<(?:tool call|function calls?|invoke)\b|\"(?:tool|function) calls?\"\s?:",
    ),
    # guardrail-removal
    rule(
        GUARDRAIL_REMOVAL,
        0.75,
        "you are now,you're now,you will now,now act as,you are going to act,act as,pretend",
        r"\byou(?:~are|'re|~will~be)~now~(?:an?~|in~|the~|free~|no~longer~)?(?:\w{1,12}~)?(?:dan\b|developer~mode|unrestricted|unfiltered|jailbr\w{1,6}|uncensored|evil\b"
        r"|free~(?:from|of)|bound|god~mode|root|admin(?:istrator)?\b)",
    ),
    rule(
        GUARDRAIL_REMOVAL,
        0.75,
        "do anything now,developer mode,jailbreak mode,dan mode,god mode,unrestricted mode,unfiltered mode,unrestricted response",
        r"\b(?:do~anything~now|(?:jailbr(?:eak|oken)|dan|god|unrestricted|unfiltered|uncensored)~mode\b|unrestricted~(?:response|ai)\b"
        r"|(?:chatgpt|model|assistant|ai|you)<3>(?:in|with|enable|enter)~developer~mode)",
    ),
    rule(
        GUARDRAIL_REMOVAL,
        0.55,
        "safety,security,content,ethical,moderation&disabled,lifted,suspended,removed,deactivated,turned off",
        r"\b(?:safety|content|ethical|moderation)~(?:protocols?|filters?|polic(?:y|ies)|guidelines?|measures|checks?|restrictions?)"
        r"<3>(?:disabled|lifted|suspended|removed|deactivated|turned~off)\b",
    ),
    rule(
        GUARDRAIL_REMOVAL,
        0.65,
        "your&guideline,restriction,filter,safety,ethic,limit,safeguard,programming,constraint,censor",
        r"\b(?:bypass|circumvent|evade|disable|turn~off|deactivate|remove|suspend|lift|violate|break|defy|escape|transcend|override)~(?:all~|any~|of~)?(?:your|ur)<3>"
        r"(?:safety|guidelines?|restrictions?|filters?|ethic\w{0,4}|limit(?:ation)?s?|safeguards?|programming|constraints?|censorship)\b",
    ),
    rule(
        GUARDRAIL_REMOVAL,
        0.6,
        "restriction,limit,filter,rules,guideline,censor,moral,policy&you,act as,respond,answer",
        r"\b(?:you~(?:now~)?have~no|(?:respond|answer|act|reply|operate)<3>(?:without|free~(?:of|from))|you<3>(?:free~(?:of|from)|not~bound~by))~(?:any~|all~|more~)?"
        r"(?:\w{1,10}~)?(?:restrictions?|limits?|limitations?|filters?|rules|guidelines?|censorship|morals?|content~policy)\b",
    ),
    rule(
        GUARDRAIL_REMOVAL,
        0.5,
        "act as,pretend,roleplay,role-play,simulate&no restrict,unrestricted,unfiltered,uncensored,without,evil,never refuse",
        r"\b(?:act~as|pretend~(?:to~be|you~are|that~you~are)|role-?play~as|simulate)<6>(?:unrestricted|unfiltered|uncensored|evil|no~restrictions?"
        r"|without~(?:any~)?(?:restrictions?|filters?|limits?|rules))\b",
    ),
    # encoded-order
    rule(
        ENCODED_ORDER,
        0.65,
        "decode,decrypt,decipher,rot13,base64,hex&follow,execute,do exactly,do what,obey,comply,what it says",
        r"\b(?:decode|decrypt|decipher|translate|read)<6>(?:base64|hex|rot13|binary|string|message|text|field|following|it)\b[^.!?\n]{0,60}?"
        r"(?:follow|execute|do~(?:exactly~)?what|obey|comply|act~on)\b",
    ),
)
