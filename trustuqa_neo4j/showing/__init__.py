"""How things are shown to people: blocks of lines and tables, drawn as a terminal's text or as HTML.

What is shown, in which order and in which words, is said once as blocks; the drawers only decide how they
look. The alternative, a drawer for each place with its own copy of that, had them drift apart.
"""
