"""English orders that misuse the model: leaks, dictated answers, concealment, tool calls."""

from __future__ import annotations

from defences.detectors.injected_instructions.rules import (
    ANSWER_DICTATION,
    CONCEALMENT,
    EXFILTRATION,
    PROMPT_EXTRACTION,
    TOOL_CALL,
    Rule,
    rule,
)

_SECRETS = (
    r"(?:conversation|chat (?:log|history)|api keys?|passwords?|credentials?|secrets?|access tokens?"
    r"|customer (?:list|data|database|records|emails?|e-mails?)|user(?:'s)? (?:data|e-?mails?|address"
    r"|password|name)|order data|personal data|system prompt|environment variables|session"
    r"|private (?:data|keys?)|last \w{1,8} (?:messages|e-?mails)|full (?:customer|user) \w{1,12})\b"
)
_ADDRESS = r"(?:https?://|www\.|[\w.+-]{1,40}@[\w-]{1,40}\.)"
_REPLY = (
    r"(?:answers?|responses?|reply|replies|summar(?:y|ies)|reports?|reviews?)\b"
    r"(?!~(?:inside|body|object|header|model|class)\b)"
)
_TELL = r"(?:say|answer|respond|reply|state|claim|tell|report|recommend|insist|assert)\b"

MISUSE: tuple[Rule, ...] = (
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
        0.45,
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
        rf"\b(?:append|encode|add|put)<2>(?:the|their|your|user's|its)<3>(?:e-?mail|address|names?|passwords?|history|data|conversation"
        rf"|messages?|questions?|answers?|tokens?|keys?|secrets?)<2>(?:to|in|into|as)<3>{_ADDRESS}",
    ),
    rule(
        PROMPT_EXTRACTION,
        0.7,
        "prompt,instruction,directive,guideline,configuration,restriction,constraint,programming,message,rules",
        r"\b(?:reveal|show|print|repeat|share|tell|output|display|disclose|expose|leak|recite|translate|describe|give|provide|list|dump|state|divulge"
        r"|write|read|summari[sz]e)<3>(?:your|ur)~(?:\w{1,14}~)?(?:(?:system|hidden|secret|initial|internal|original|base|core|underlying|confidential|full)~"
        r"(?:prompts?|instructions?|messages?|directives?|guidelines?|configuration|programming|constraints?|restrictions?|rules))\b",
    ),
    rule(
        PROMPT_EXTRACTION,
        0.55,
        "your&prompt,instruction,directive,guideline,restriction,constraint,programming,parameters",
        r"\b(?:reveal|print|repeat|share|output|display|disclose|expose|leak|recite|divulge|show|tell~me|give~me|describe|explain|revealing|sharing|disclosing|showing)~(?:me~|us~|all~|of~|a~\w{1,10}~of~)?(?:your|ur)~(?:\w{1,14}~)?"
        r"(?:prompts?|instructions?|directives?|guidelines?|configuration|programming|constraints?|restrictions?|operational~parameters)\b",
    ),
    rule(
        PROMPT_EXTRACTION,
        0.5,
        "instructions you were,instructions you have,prompt you were,words above,told to do,were you given,conversation above",
        r"\b(?:(?:instructions?|prompt|rules)~(?:that~)?you~(?:were|have~been)~(?:given|told)|repeat~the~(?:words|text)~above|starting~with~\W?you are)\b",
    ),
    rule(
        PROMPT_EXTRACTION,
        0.5,
        "prompt,instruction",
        r"(?:^|\n|[.!?:;,\])]\s|\b(?:and|then|by|to) )(?:reveal|print|repeat|output|display|disclose|recite)(?:ing)?~(?:me~)?the~(?:full~|exact~|entire~)?(?:system|hidden|secret|initial|internal|original)"
        r"~(?:prompts?|instructions?|message)\b(?!/)",
    ),
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
        0.7,
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
        r"(?:(?:^|\n|[.!?:;,\])]\s|\b(?:and|please) )(?:instead|only|just|simply)|all you have to do is(?:~to)?)~(?:output|print|respond~with|reply~with|answer~with|write|say)<2>"
        r"(?:the~(?:following|words?|phrase|sentence|text|translation)|exactly|\W?[\"'])",
    ),
    rule(
        ANSWER_DICTATION,
        0.4,
        "only with,exclusively with,only the,only in,with only",
        r"(?:^|\n|[.!?:;,>\])]\s|\b(?:and|then|must|to) )(?:reply|respond|answer)~(?:only|exclusively)~(?:with|in|the)\b",
    ),
    rule(
        CONCEALMENT,
        0.55,
        "user,reader,anyone,human,customer,operator,owner&tell,mention,reveal,inform,alert,notif,let,warn,show",
        r"\b(?:do~not|don't|never|without|must~not)~(?:tell|reveal|inform|alert|notify|warn|mention|let|show|telling|informing|alerting|notifying|warning)"
        r"~(?:(?:this|it|that|any~of~this)~to~)?(?:(?:the~|your~|any~)?(?:users?|readers?|humans?|operators?|owners?)|anyone~(?:about|of)~(?:this|these))\b"
        r"(?!~(?:to|how|that|what|where|when|which|why|whether|if|they|their|has|have|is|are|can|input|name|id|account)\b|'s)",
    ),
    rule(
        CONCEALMENT,
        0.3,  # house rules for staff sound like this too
        "customer,anyone&tell,inform,let",
        r"\b(?:do~not|don't|never|without)~(?:tell|inform|let|telling|informing|letting)~(?:(?:the~)?customers?~(?:about|know)\b"
        r"|anyone(?=[.!,\n]))",
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
    rule(
        TOOL_CALL,
        0.55,
        "send email,delete file,http post,http get,read file,write file,send message,run command,execute command,run shell,delete all,transfer,send money,delete user",
        r"\b(?:call|invoke|use|run|execute|trigger)~(?:the~)?(?:\w{1,12}~)?(?:send ?email|delete ?files?|http ?(?:post|get|request)|read ?file|write ?file|send ?message"
        r"|(?:run|execute) ?(?:command|shell|code)|send ?money|transfer ?funds|delete ?(?:user|all|record)s?)\b(?![\-(])",
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
)
