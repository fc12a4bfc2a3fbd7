"""Tour, glossary, keys and About."""
