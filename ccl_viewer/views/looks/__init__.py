"""How the window looks: themes, icons, sizes of text, motion."""
