"""Connected clients: what is sent to them, and their pending requests."""
