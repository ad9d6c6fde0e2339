// EXPECT-NONE

// Package conf reads the settings of a ferry.
package conf

// Settings as they stand in the file.
type Settings struct {
	BoardingSeconds int `json:"boarding_seconds"`
	CleaningSeconds int `json:"cleaning_seconds"`
}

// Default is what holds without a file.
func Default() Settings { return Settings{BoardingSeconds: 40, CleaningSeconds: 20} }
