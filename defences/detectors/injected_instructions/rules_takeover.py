"""English orders that take the model over: overrides, addresses, role markup, lifted rules."""

from __future__ import annotations

from defences.detectors.injected_instructions.rules import (
    ENCODED_ORDER,
    GUARDRAIL_REMOVAL,
    MODEL_ADDRESS,
    OVERRIDE,
    ROLE_MARKUP,
    Rule,
    rule,
)

# Manuals warn of it: "do not ignore the instructions above", "if you ignore ...".
# How these words start comes first: it is cheaper to see than all that may not stand before.
_DROP = (
    r"\b(?=ig|dis|forg|ov|by|neg|ab|dr|sup|ca|do|sto|ce|pu|se|le|pa|thro|er|wi)"
    r"(?<!do\snot\s)(?<!must\snot\s)(?<!should\snot\s)(?<!never\s)(?<!don't\s)(?<!cannot\s)(?<!if\syou\s)(?<!who\s)(?<!by\s)"
    r"(?:ignor(?:e|es|ing)|disregard(?:ing)?|forget(?:ting)?|overlook|bypass(?:ing)?"
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
_IMPERATIVE = (
    r"(?:ignore|disregard|forget|append|include|call|send|recommend|say|do not|don't|reveal|list|tell"
    r"|stop|translate|summari[sz]e|forward|e-?mail|delete|output|print|add|insert|visit|as part|please"
    r"|you|always|never|must|before|when)\b"
)

TAKEOVER: tuple[Rule, ...] = (
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
        rf"{_DROP}~(?:about )?(?:(?:everything|anything|whatever|all that (?:is|was))<3>|what~(?:you|the (?:user|developer|operator)|is|was|has)\b<2>)"
        r"(?:told|instructed|said|above|before|prior|previously|discussed|written|preceding)\b",
    ),
    # What somebody else told, people pay no attention to either.
    rule(
        OVERRIDE,
        0.4,
        f"{_DROP_NEEDLES}&told,above,before,said,discussed,prior,previous,instructed,written",
        rf"{_DROP}~(?:about )?what<3>(?:told|instructed|said|above|before|prior|previously|discussed|written|preceding)\b",
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
        r"(?:^|\n|[.!?>\])*]\s|\b(?:your|my|these|are|is) )(?:new|updated|revised|real|actual|true|secret|priority)~(?:system )?(?:instructions?|tasks?|directives?|orders)"
        r"(?:~(?:is|are|for you)\b|~to~the~\w{1,12}\b)?\s?:",
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
    rule(
        OVERRIDE,
        0.7,
        "ignor,disregard,forget,overrid&instruction,prompt,directive,guideline,safety",
        r"(?<!do\snot\s)(?<!never\s)(?<!don't\s)(?<!if\syou\s)\b(?:ignore|disregard|forget|override)~(?:(?:all|any|every)<2>(?:instructions?|prompts?|directives?|guidelines)\b|(?:all )?safety(?=\s?[.!<*\-]|$|~and\b))",
    ),
    rule(
        OVERRIDE,
        0.6,
        "ignor,disregard&print,output,say,write,reply,respond,focus,answer",
        r"\b(?:ignore|disregard)~(?:all )?(?:the rest of )?(?:this|the|all|these|other)~(?:other )?(?:data|documents?|texts?|info(?:rmation)?|content|articles?)<1>(?:and|except|instead)<1>"
        r"(?:print|output|say|write|reply|respond|focus|answer|for)\b",
    ),
    rule(
        OVERRIDE,
        0.55,
        "ignor,disregard&instruction,request,prompt,command",
        r"(?:^|\n|[.!?:;,>\])]\s|\b(?:then|and|please|now) )(?:ignore|disregard)~(?:instructions?\b(?=\s?[.,!]|~and\b)"
        r"|(?:all|any)~(?:other|following|further|subsequent)~(?:requests?|instructions?|prompts?|commands?)\b)",
    ),
    rule(
        OVERRIDE,
        0.6,
        "my&only,solely,exclusively,strictly",
        r"\b(?:focus|adhere|act|respond|serve|comply|listen|answer|follow)~(?:\w{1,12}~)?(?:only|solely|exclusively|strictly)~"
        r"(?:on~|to~|with~)?my~(?:\w{1,12}~)?(?:orders?|commands?|instructions?|directives?|directions?|guidance|requests?|wishes)\b",
    ),
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
        rf"(?:\b(?:notes?|notice|attention|directives?|warning|hint|reminder|(?:special |hidden )instructions?)"
        rf"~(?:to|for)~(?:any |all |the |every |each |our |your )?(?:{_MODEL}|(?:assistant|bot)s?\b)"
        rf"|(?:^|\n|[.!>\])]\s)(?:important|message|request)~(?:to|for)~(?:any |all |the |every )?(?:{_MODEL}|(?:assistant|bot)s?\b))",
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
        rf"(?:^|\n|[.:>\-*\[(]\s?)(?:(?:ai (?:agent|assistant|system|model|tool)|llm|language model|chatbot)s?\s?:\s{{0,2}}{_IMPERATIVE}"
        r"|(?:ai (?:agent|assistant|system|tool)s?|llms)<4>(?:should|must)<1>(?:first|always|never|ignore|append|include|call|send|recommend|say)\b)",
    ),
    rule(
        MODEL_ADDRESS,
        0.35,
        "processing this document,processing this page,processing this file,processing this",
        r"\b(?:as~part~of|to~complete|while|in)~processing~this~\w{1,12}",
    ),
    rule(
        MODEL_ADDRESS,
        0.4,
        "this document,this page,this text,this file,this article,this email,this e-mail,this ticket&when,while,before,after,once",
        r"\b(?:when|while|before|after|once)~(?:processing|summari[sz]ing|analy[sz]ing|reviewing|ingesting|indexing)~this~(?:page|document|text|file|article|e-?mail|ticket)\b",
    ),
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
        r"(?:^|\n)\s{0,3}(?:system:(?= ?\w)|\[system\]|#{2,3} ?system(?:\s?:|\n)|<system>|[*]{2}system[*]{2}:)",
    ),
    rule(
        ROLE_MARKUP,
        0.5,
        "instruction",
        r"(?:^|\n)#{2,4} ?(?:new |updated |human |system )?instructions?:~?\w|</?(?:system|hidden|secret|admin)(?:[-]| ?)(?:instructions?|prompt)>",
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
        "act as,pretend,roleplay,role-play,simulate&no restrict,unrestricted,unfiltered,uncensored,without,evil,with no",
        r"\b(?:act~as|pretend~(?:to~be|you~are|that~you~are)|role-?play~as|simulate)<6>(?:unrestricted|unfiltered|uncensored|evil|no~restrictions?"
        r"|with(?:out|~no)~(?:any~)?(?:restrictions?|filters?|limits?|rules|content~policy))\b",
    ),
    rule(
        GUARDRAIL_REMOVAL,
        0.5,
        "you are no longer,you are going to pretend,you are about to immerse,hi chatgpt,hello chatgpt,you are now",
        r"\b(?:you~are~no~longer~(?:chatgpt|an~ai|bound|a~language)|you~are~(?:going|about)~to~(?:pretend|immerse)|(?:hi|hello),?~chatgpt[\s.,!]{1,3}(?:you|from|i)\b)",
    ),
    rule(
        GUARDRAIL_REMOVAL,
        0.5,
        "developer mode&ignore,enable,enabled,no rules,restrictions",
        r"\bdeveloper~mode~(?:you|ignore|enabled[.!,]|without)",
    ),
    rule(
        ENCODED_ORDER,
        0.65,
        "decode,decrypt,decipher,rot13,base64,hex&follow,execute,do exactly,do what,obey,comply,what it says",
        r"\b(?:decode|decrypt|decipher|translate|read)<6>(?:base64|hex|rot13|binary|string|message|text|field|following|it)\b[^.!?\n]{0,60}?"
        r"(?:follow|execute|do~(?:exactly~)?what|obey|comply|act~on)\b",
    ),
)
