package lua
import ("testing";"os";"strings";"strconv")
func TestDump(t *testing.T){ var b strings.Builder; for _,s:=range scripts { r:=render(Read(s.text)); if len(r)==0 {b.WriteString("nil\n");continue}; q:=[]string{}; for _,l:=range r { if strings.Contains(l,"`") {panic(l)}; if strings.Contains(l,`"`) { q=append(q,"`"+l+"`") } else { q=append(q,strconv.Quote(l)) } }; b.WriteString("[]string{"+strings.Join(q,", ")+"}\n") }; os.WriteFile("/tmp/wants",[]byte(b.String()),0o644) }
