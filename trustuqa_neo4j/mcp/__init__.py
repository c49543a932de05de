"""The engine as a server of the Model Context Protocol, for programs in which agents work."""
