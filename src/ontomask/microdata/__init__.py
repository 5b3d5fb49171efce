"""Tables of records: taken from frames, read from files, given back and written as they came."""
