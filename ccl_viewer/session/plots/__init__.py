"""The figures that are plotted of a run."""
