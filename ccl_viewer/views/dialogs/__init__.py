"""Small questions: sizes, numbers, random cells, keys."""
