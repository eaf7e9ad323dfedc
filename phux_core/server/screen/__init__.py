"""Read, compare and rebuild screens."""
