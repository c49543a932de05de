"""Rendering: blocks of lines and tables, drawn as a terminal's text or as HTML.

Content, order and wording are decided once, as blocks; the renderers only decide how blocks look.
"""
