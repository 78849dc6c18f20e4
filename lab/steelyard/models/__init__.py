"""What passes between the parts and lies in files, as closed models. No behaviour beyond validation, no file is read here."""
