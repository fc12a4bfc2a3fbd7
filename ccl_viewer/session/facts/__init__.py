"""What there is to say of a run and its steps: numbers, texts, source, figures."""
