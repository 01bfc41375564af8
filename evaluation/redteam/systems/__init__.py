"""What is attacked: our own question path, whole and with parts left out, and its peers."""
