package clientmodel

// IsKeyField reports whether a field of a library's lock object, as the rows name it, holds the key.
func IsKeyField(name string) bool { return name == mutexKey }
