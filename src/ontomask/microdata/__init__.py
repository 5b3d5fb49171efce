"""Tables of records: frames and files in, encoded columns, frames and files out."""
