package lua

import "strings"

// libraries are the tables that a Redis script sees. server is Valkey's name of redis.
var libraries = []string{
	"redis", "server", "string", "table", "math", "cjson", "cmsgpack", "bit", "struct", "os", "coroutine", "debug", "_G",
}

// functions are the global functions (and the version) of Lua 5.1. Redis hides some; reading those is left alone.
var functions = []string{
	"tonumber", "tostring", "type", "pairs", "ipairs", "next", "select", "unpack", "error", "assert", "pcall", "xpcall",
	"print", "rawget", "rawset", "rawequal", "getmetatable", "setmetatable", "loadstring", "load", "loadfile", "dofile",
	"collectgarbage", "gcinfo", "newproxy", "getfenv", "setfenv", "require", "module", "_VERSION",
}

// stringFunctions are the functions of the string library.
var stringFunctions = []string{
	"byte", "char", "dump", "find", "format", "gfind", "gmatch", "gsub", "len", "lower", "match", "rep", "reverse", "sub",
	"upper",
}

// extensions are globals that only relatives of Redis have. A script that uses them is not wrong there.
var extensions = []string{"dragonfly", "keydb", "valkey", "kvrocks", "tair", "async"}

// isLibrary reports whether the name is that of a library table.
func isLibrary(name string) bool { return contains(libraries, name) }

// isGlobal reports whether a script may read the global.
func isGlobal(name string) bool {
	return name == "KEYS" || name == "ARGV" || isLibrary(name) || contains(functions, name) || contains(extensions, name)
}

// meantGlobal is the global that somebody means who writes it in the wrong case or number, "" for any other name.
func meantGlobal(name string) string {
	switch strings.ToUpper(name) {
	case "KEY":
		return "KEYS"
	case "ARG", "ARGS":
		return "ARGV"
	}
	for _, list := range [][]string{{"KEYS", "ARGV"}, libraries, functions} {
		for _, known := range list {
			if strings.EqualFold(known, name) {
				return known
			}
		}
	}
	return ""
}

func contains(list []string, name string) bool {
	for _, known := range list {
		if known == name {
			return true
		}
	}
	return false
}
