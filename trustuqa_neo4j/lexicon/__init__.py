"""The words of a language: one file, ``en.toml``, and typed access to it. Every word list is here."""
