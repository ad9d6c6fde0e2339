// Package naming spells the locks of the document store.
package naming

import (
	"fmt"
	"strconv"
	"time"
)

// Folder is where documents lie.
type Folder struct {
	Title string
	Inner []*Folder
}

// FolderKey is held while a folder is sorted.
func FolderKey(f *Folder) string { return fmt.Sprintf("folder:sort:%v", *f) } // EXPECT: unstable-key

// Scheme names the locks of a kind of document.
type Scheme interface {
	Name(doc int64) string
}

// Dated puts the time in front, for easier reading of the logs.
type Dated struct{ Kind string }

// Name implements Scheme.
func (d Dated) Name(doc int64) string {
	now := time.Now().Format(time.RFC3339Nano)
	return "dated-doc:" + now + ":" + strconv.FormatInt(doc, 10) // EXPECT: unstable-key
}

// Of names anything that can be printed.
func Of[T any](item T) string {
	return fmt.Sprintf("any-doc:%v", item) // EXPECT: unstable-key
}
