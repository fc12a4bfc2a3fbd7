"""The panel of plots, drawn by pyqtgraph."""
