# ruff: noqa: RUF001 - look-alike letters are the matter here
"""Orders in other languages than English: above all overrides and prompt extraction.

Latin scripts are folded (`views.fold`), so their patterns carry no accents. Chinese, Japanese and
Korean have no word gaps: there a gap is a few characters without a clause end.
"""

from __future__ import annotations

from defences.detectors.injected_instructions.rules import (
    GUARDRAIL_REMOVAL,
    MODEL_ADDRESS,
    OVERRIDE,
    PROMPT_EXTRACTION,
    ROLE_MARKUP,
    Rule,
    rule,
)

_CJK = r"[^。！？，,.!?\n]"

OTHER_LANGUAGES: tuple[Rule, ...] = (
    # German
    rule(
        OVERRIDE,
        0.85,
        "ignorier,vergiss,vergess,missacht,uberschreib,verwirf,umgeh,beachte",
        r"\b(?:ignorier(?:e|en|t)?|vergiss|vergessen|missachte[nt]?|uberschreibe?[nt]?|verwirf|verwerfen|umgehe?[nt]?)~(?:(?:sie|bitte|jetzt)~){0,2}(?:\w{1,12}~){0,2}?"
        r"(?:vorherig|vorangehend|vorangegangen|bisherig|obig|fruher|vorig|samtlich|alle\b|deine|ihre)\w{0,6}<3>"
        r"(?:anweisung|vorgabe|instruktion|anordnung|richtlinie|befehl|auftrag|auftrage|prompt|programmierung|aufgabe|system-?anweisung)\w{0,4}\b",
    ),
    rule(
        OVERRIDE,
        0.6,
        "vergiss,ignorier,abweichend",
        r"\b(?:vergiss|ignoriere)~(?:bitte~)?(?:alles|was)(?:~(?:davor|bisher|zuvor|oben|vorher|vorherige|wir)\b|\s?[,.!])|\babweichend~(?:von~|zu~)vorherigen~\w{4,20}",
    ),
    rule(
        OVERRIDE,
        0.5,
        "ab sofort,ab jetzt,neue anweisung,neue aufgabe",
        r"\b(?:ab~(?:sofort|jetzt)<2>(?:du|hast~du|musst|ignorier|gibst)|neue~(?:anweisung|aufgabe|instruktion)(?:en)?\s?:)",
    ),
    # French
    rule(
        OVERRIDE,
        0.85,
        "ignor,oubli,neglig,passe outre,passez outre,fais abstraction,faites abstraction,contourn,abandonn,laisse",
        r"\b(?:ignore[rz]?|oublie[rz]?|neglige[rz]?|passez?~outre|fai(?:s|tes)~abstraction~de|contourne[rz]?|abandonne[rz]?|laisse[rz]?~de~cote)<3>"
        r"(?:instructions?|consignes?|directives?|ordres|regles|prompts?|programmation|restrictions?)<2>(?:precedent|anterieur|ci-dessus|initial|donnee|operationnel"
        r"|intrinseque|preetabli|habituel)\w{0,4}\b",
    ),
    rule(
        OVERRIDE,
        0.75,
        "ignor,oubli,neglig,contourn,abandonn",
        r"\b(?:ignore[rz]?|oublie[rz]?|neglige[rz]?|contourne[rz]?|abandonne[rz]?)~(?:(?:toutes|tous)~)?(?:tes|vos|(?:toutes~)?les~(?:anciennes|precedentes))~(?:\w{1,14}~)?"
        r"(?:instructions?|consignes?|directives?|regles|programmation|restrictions?|limites)\b",
    ),
    rule(
        OVERRIDE,
        0.7,
        "oubli,ignor",
        r"\b(?:oublie[rz]?|ignore[rz]?)~tout~(?:ce~qui|ce~que|le~reste)\b",
    ),
    # Spanish
    rule(
        OVERRIDE,
        0.85,
        "ignor,olvid,descart,omit,desatiend,pasa por alto,haz caso omiso",
        r"\b(?:ignor(?:a|e|en|ar)|olvid(?:a|e|en|ar)(?:te)?|descart(?:a|e|ar)|omit(?:e|a|ir)|desatiend[ea]|pasa~por~alto|ha(?:z|ga)~caso~omiso~(?:de|a))<3>"
        r"(?:instruccion(?:es)?|ordenes|indicaciones|directrices|reglas|pautas|prompts?|directivas|programacion)<2>(?:anterior|previ|de~arriba|precedent|original|inicial|dad)\w{0,4}\b",
    ),
    rule(
        OVERRIDE,
        0.75,
        "ignor,olvid,descart,desafi",
        r"\b(?:ignor(?:a|e|ar)|olvid(?:a|e|ar)(?:te~de)?|descart(?:a|e)|desafi(?:a|e))~(?:todas~)?(?:tus|sus|(?:todas~)?las~anteriores)~(?:\w{1,14}~)?"
        r"(?:instruccion(?:es)?|ordenes|directrices|reglas|pautas|restricciones|programacion|limites)\b",
    ),
    rule(
        OVERRIDE,
        0.7,
        "olvid,ignor",
        r"\b(?:olvid[ae]|ignor[ae])~todo~lo~(?:anterior|de~arriba|que)\b",
    ),
    # Italian
    rule(
        OVERRIDE,
        0.85,
        "ignor,dimentic,trascur,tralasci,scart",
        r"\b(?:ignor(?:a|i|are|ate)|dimentic(?:a|hi|are|ate)|trascur(?:a|i|are)|tralasci(?:a|are)?|scart(?:a|are))<3>"
        r"(?:istruzion[ie]|indicazioni|direttiv[ae]|ordini|regole|comandi|prompt|linee~guida)<2>(?:precedent|anterior|sopra|inizial|original|dat)\w{0,4}\b",
    ),
    rule(
        OVERRIDE,
        0.75,
        "ignor,dimentic,trascur",
        r"\b(?:ignor(?:a|i|are)|dimentic(?:a|hi|are)|trascur(?:a|i))~(?:tutte~)?(?:le~)?(?:tue|sue|precedenti)~(?:\w{1,14}~)?"
        r"(?:istruzion[ie]|direttive|regole|linee~guida|restrizioni|programmazione)\b",
    ),
    rule(OVERRIDE, 0.7, "dimentic,ignor", r"\b(?:dimentica|ignora)~tutto~(?:cio|quello|quanto)\b"),
    # Portuguese
    rule(
        OVERRIDE,
        0.85,
        "ignor,esque,desconsider,descart,desobede",
        r"\b(?:ignor(?:e|a|ar|em)|esque(?:ca|ce|cer)(?:-se)?|desconsider(?:e|a|ar)|descart(?:e|a|ar)|desobede(?:ca|ce))<3>"
        r"(?:instruc(?:ao|oes)|orientacoes|ordens|diretrizes|regras|comandos|prompts?|programacao)<2>(?:anterior|previ|acima|precedent|origina|inicia|dad)\w{0,4}\b",
    ),
    rule(
        OVERRIDE,
        0.75,
        "ignor,esque,desconsider",
        r"\b(?:ignore|esqueca|desconsidere)~(?:todas~)?(?:as~)?(?:suas|tuas|anteriores)~(?:\w{1,14}~)?(?:instruc(?:ao|oes)|diretrizes|regras|restricoes|programacao)\b",
    ),
    rule(OVERRIDE, 0.7, "esque,ignor", r"\b(?:esqueca|ignore)~tudo~(?:o~que|que|acima)\b"),
    # Dutch
    rule(
        OVERRIDE,
        0.85,
        "negeer,vergeet,negeren,vergeten,sla alle,omzeil",
        r"\b(?:negeer|negeren|vergeet|vergeten|omzeil)<2>(?:vorige|eerdere|bovenstaande|voorgaande|alle\b|je\b|jouw|uw|oorspronkelijke)<3>"
        r"(?:instructies?|opdracht(?:en)?|aanwijzingen|richtlijnen|regels|prompts?|bevelen)\b",
    ),
    rule(
        OVERRIDE, 0.7, "vergeet,negeer", r"\b(?:vergeet|negeer)~alles~(?:wat|hierboven|hiervoor)\b"
    ),
    # Polish, Turkish, Swedish
    rule(
        OVERRIDE,
        0.85,
        "zignoruj,ignoruj,zapomnij,pomin",
        r"\b(?:z?ignoruj(?:cie)?|zapomnij(?:cie)?(?:~o)?|pomin)<2>(?:wszystki\w{1,3}|poprzedni\w{1,3}|wczesniejsz\w{1,3}|powyzsz\w{1,3})<2>(?:instrukcj|polece|wytyczn|polecen)\w{0,4}\b",
    ),
    rule(
        OVERRIDE,
        0.85,
        "yok say,gormezden gel,gormezden,unut,dikkate alma",
        r"\b(?:onceki|yukaridaki|tum|butun)<2>(?:talimat|komut|yonerge|kural)\w{0,8}<1>(?:yok~say|gormezden|gormezden|unut|dikkate~alma)\w{0,4}",
    ),
    rule(
        OVERRIDE,
        0.85,
        "ignorera,glom,bortse,strunta",
        r"\b(?:ignorera|glom|bortse~fran|strunta~i)<2>(?:tidigare|foregaende|ovanstaende|alla|dina)<2>(?:instruktioner|anvisningar|regler|order)\b",
    ),
    # Russian, Ukrainian
    rule(
        OVERRIDE,
        0.85,
        "игнорир,забуд,отбрось,отмени,пренебрег,не обращай,ігнор",
        r"\b(?:про)?(?:[иі]гнор(?:ир)?уй?(?:те)?|забуд[ьи](?:те)?|отбрось(?:те)?|отмени(?:те)?|пренебрег\w{1,6}|не~обращай(?:те)?~внимания~на)<3>"
        r"(?:инструкц|указани|команд|правил|промпт|распоряжени|приказ|[іи]нструкц|вказівк)\w{0,4}\b",
    ),
    rule(
        OVERRIDE,
        0.65,
        "забуд,игнорир",
        r"\b(?:забудь(?:те)?|игнорируй(?:те)?)~(?:обо?~)?вс(?:е|ё|ем)[\s,]{1,3}(?:что|предыдущ|выше|сказан)\w{0,4}",
    ),
    # nobody's orders but mine
    rule(
        OVERRIDE,
        0.6,
        "ausschlie,einzig,exclusiv,unicamente,solo,apenas,seulement,uniquement&meine,mis ,mie ,minha,mes ,mi ",
        r"\b(?:(?:ausschlie(?:ss|s)lich|einzig|nur)~(?:auf~|nach~|an~)?meinen?r?~(?:\w{1,16}~)?(?:anweisung|befehl|forderung|anforderung|vorgabe|anordnung)"
        r"|(?:exclusiv\w{1,6}|solo|solamente|unicamente|uniquement|seulement|apenas)~(?:a~|alle~|le~|as~|nas~|en~|a~las~|segun~|con~)?(?:mis|mie|minhas|mes)~(?:\w{1,16}~)?"
        r"(?:instruc|ordenes|ordens|istruzion|ordini|directi|diretri|diretti|consigne|ordres|solicitud|richieste|comandos))\w{0,6}",
    ),
    # all instructions, without a word for the earlier ones
    rule(
        OVERRIDE,
        0.7,
        "instruction,instrucc,istruzion,instruc,anweisung,instruct,instrukc,инструкц",
        r"\b(?:oublie[rz]?~toutes~les~instructions|olvida~todas~las~instrucciones|dimentica~tutte~le~istruzioni|esqueca~todas~as~instrucoes"
        r"|(?:vergiss|ignoriere)~alle~anweisungen|vergeet~alle~instructies|(?:забудьте|забудь|игнорируй(?:те)?)~все~инструкции)\b",
    ),
    rule(
        GUARDRAIL_REMOVAL,
        0.55,
        "restric,restriz,einschrankung,beperking,ограничен",
        r"\b(?:eres|estas|responde|ahora|ora~sei|rispondi|rispondere|responder|repondre|reponds|tu~es|vous~etes|antworte|antworten|agora|du~bist|je~bent|ты|отвечай)<5>"
        r"(?:sin~restricciones|senza~restrizioni|sans~restrictions|sem~restricoes|ohne~einschrankungen|uneingeschrankt|zonder~beperkingen|без~ограничений)\b",
    ),
    # Chinese, Japanese, Korean
    rule(
        OVERRIDE,
        0.85,
        "忽略,无视,無視,忘记,忘記,忘掉,不要理会,忽視,忽视,不要遵循,抛开",
        rf"(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|忽視|忽视|不要遵循|抛开){_CJK}{{0,8}}?(?:之前|以前|先前|上面|以上|前面|此前|所有|一切|全部|你的|原来的|上述){_CJK}{{0,8}}?"
        r"(?:指令|指示|说明|說明|提示|规则|規則|命令|要求|设定|指南|内容)",
    ),
    rule(
        OVERRIDE,
        0.85,
        "無視,忘れ,従わ",
        rf"(?:これまで|以前|前|上記|すべて|全て|今まで|先ほど|元|あなた){_CJK}{{0,10}}?(?:指示|命令|指令|プロンプト|ルール|規則|ガイドライン|内容){_CJK}{{0,6}}?(?:無視|忘れ|従わない)",
    ),
    rule(
        OVERRIDE,
        0.85,
        "무시,잊어,잊고,따르지",
        rf"(?:이전|위의|앞의|앞선|모든|지금까지|기존){_CJK}{{0,10}}?(?:지시|명령|지침|프롬프트|규칙|내용){_CJK}{{0,6}}?(?:무시|잊어|잊고|따르지)",
    ),
    # Arabic, Hindi
    rule(
        OVERRIDE,
        0.85,
        "تجاهل,انس,تجاوز",
        r"(?:تجاهل|انس[َى]?|تجاوز)(?:ي|وا)?<2>(?:التعليمات|الأوامر|الارشادات|الإرشادات|القواعد|التوجيهات)",
    ),
    rule(
        OVERRIDE,
        0.85,
        "अनदेखा,नज़रअंदाज,भूल,अनदेखी",
        r"(?:पिछले|पिछली|पहले|सभी|ऊपर|उपरोक्त)[^।.!?\n]{0,16}?(?:निर्देश|आदेश|नियम)[^।.!?\n]{0,12}?(?:अनदेखा|अनदेखी|नज़रअंदाज|नजरअंदाज|भूल)",
    ),
    # prompt extraction and notes to the model, several languages
    rule(
        PROMPT_EXTRACTION,
        0.7,
        "system-prompt,systemprompt,system prompt,systemanweisung,prompt-texte,system-anweisung",
        r"\b(?:zeig|verrat|nenn|gib|offenbar|offenleg|druck|toon|onthul|geef)\w{0,4}<4>(?:system-?prompts?|system prompts?|system-?anweisung\w{0,3}|prompt-texte|systeeminstructies)",
    ),
    rule(
        PROMPT_EXTRACTION,
        0.7,
        "prompt,systeme,sistema,indicacion,instrucoes,istruzioni,instrucciones,instructions",
        r"\b(?:revel|montr|affich|muestr|mostr|rivel|exib|exponh|expon|divulg|communiqu|donn)\w{0,5}(?:-moi|-me)?<3>(?:prompts?|instructions?|instrucciones|istruzioni|instruc(?:ao|oes)"
        r"|indicacion(?:es)?|consignes?)~(?:\w{1,3}~)?(?:systeme|sistema|initia\w{1,4}|inicia\w{1,4}|principal|base|origin\w{1,4}|entrenamiento|treinamento|formazione)\b",
    ),
    rule(
        PROMPT_EXTRACTION,
        0.7,
        "系统提示,系統提示,システムプロンプト,시스템 프롬프트,初始指令,系统指令",
        rf"(?:显示|告诉|输出|透露|展示|打印|泄露|顯示|告訴|輸出){_CJK}{{0,10}}?(?:系统提示|系統提示|初始指令|系统指令)|(?:システムプロンプト|시스템 프롬프트){_CJK}{{0,8}}?(?:表示|教え|見せ|公開|出力|보여|알려|공개)",
    ),
    rule(
        PROMPT_EXTRACTION,
        0.7,
        "системн",
        r"\b(?:покажи|раскрой|выведи|напечатай|сообщи)(?:те)?<3>системн\w{1,4}~(?:промпт|инструкци|подсказк|запрос)\w{0,3}",
    ),
    rule(
        ROLE_MARKUP,
        0.5,
        "systemhinweis,nota del sistema,nota di sistema,note systeme,nota do sistema,系统提示:,系统消息,システム通知",
        r"(?:^|\n)\W{0,4}(?:systemhinweis|system-hinweis|nota~del~sistema|nota~di~sistema|note~(?:du~)?systeme|nota~do~sistema|系统(?:提示|消息)|システム通知)\s?[:：]",
    ),
    rule(
        MODEL_ADDRESS,
        0.65,
        "ki-assistent,ki assistent,sprachmodell,assistant ia,modele de langage,asistente de ia,modelo de lenguaje,modelo de linguagem,assistente ia,modello linguistico,taalmodel,语言模型,ai助手,人工智能助手,言語モデル,aiアシスタント,языков",
        r"\b(?:wenn|falls)~du~ein(?:e)?~(?:ki\b|ki-\w{4,12}|sprachmodell|assistent)|\bhinweis~(?:an|fur)~(?:alle~|die~|den~)?(?:ki\b|ki-\w{4,14}|sprachmodelle?)"
        r"|\bsi~(?:tu~es|vous~etes)~un(?:e)?~(?:ia|assistant|modele~de~langage)|\bsi~eres~un(?:a)?~(?:ia|asistente|modelo~de~lenguaje)"
        r"|\bse~(?:voce~e|sei)~um?a?~(?:ia|assistente|modelo~de~linguagem|modello~linguistico)|\bals~je~een~(?:ai|taalmodel|assistent)"
        r"|如果你是(?:一个)?(?:ai|人工智能|语言模型)|(?:あなたが|もし)ai(?:アシスタント)?(?:なら|である)|\bесли~(?:ты|вы)~(?:ии\b|языковая~модель|ассистент)",
    ),
)

SQUASHED: tuple[Rule, ...] = (
    # Letters that stood apart, put together again: the word gaps are lost with them.
    rule(
        OVERRIDE,
        0.85,
        "instruction,prompt,guideline,directive,rules",
        r"(?:ignore|disregard|forget|override|bypass)(?:all)?(?:of)?(?:the|your|any|my)?(?:previous|prior|above|preceding|earlier)?(?:system)?(?:instructions?|prompts?|guidelines?|directives?|rules)",
    ),
    rule(
        PROMPT_EXTRACTION,
        0.7,
        "systemprompt,instructions",
        r"(?:reveal|show|print|repeat|output)(?:me)?(?:your|the)(?:system|hidden|initial|secret)(?:prompt|instructions?)",
    ),
    rule(
        OVERRIDE,
        0.75,
        "everything",
        r"(?:ignore|disregard|forget)everything(?:above|before|you(?:were|have)|and)",
    ),
)
