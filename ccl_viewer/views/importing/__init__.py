"""The dialog in which a picture becomes a grid."""
