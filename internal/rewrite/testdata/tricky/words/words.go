// Package words is imported by others, which name what it declares.
package words

// Prefix begins the key of a job.
const Prefix = "tricky-job:"

// Speaker says something.
type Speaker interface{ Speak() string }
