"""Names that files, queries or terminals could take for something else."""

from __future__ import annotations

ODD = [
    "x' OR 1=1 //", '"}) DETACH DELETE n //', "`FACT`", "$dataset", "${1}", "{name: 'x'}", "n:Dataset",
    "') MATCH (n) DETACH DELETE n RETURN ('", "'\\x", "\\x", "\\u0041", "a\\nb", "%s", "100%", "*", "NULL",
    "true", "-0", "1e9", "--", "/* x */", "// y", "\u200f\u05e9\u05dc\u05d5\u05dd\u202e", "\u202e", "👩‍🚀",
    "ﬁ", "fi", "Straße", "STRASSE", "é", "e\u0301", "İ", "ı", " leading", "trailing ", "double  space", "…",
    "?", "http://x/?a=b&c=d", "[red]x[/red]", "I Can't Sleep", 'Say "Hi"', "a=b", "a,b", "(a)", "[a]",
    "#1", "\x7f",
]  # fmt: skip
