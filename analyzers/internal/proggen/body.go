package proggen

import (
	"fmt"
	"strings"
)

// maxDepth bounds how deep statements nest.
const maxDepth = 4

// block is a list of statements. They may use ctx, rdb, id, name and s, and return errors.
func (g *generator) block() string {
	if g.depth >= maxDepth {
		return "s.count++\n"
	}
	g.depth++
	defer func() { g.depth-- }()
	var b strings.Builder
	for range 1 + g.pick(4) {
		b.WriteString(g.statement())
		b.WriteByte('\n')
	}
	return b.String()
}

// local is a new name.
func (g *generator) local() string {
	g.names++
	return fmt.Sprintf("v%d", g.names)
}

// statement is one statement, with others in it.
func (g *generator) statement() string {
	switch g.pick(5) {
	case 0:
		return g.simple()
	case 1:
		return g.command()
	case 2:
		return g.branch()
	case 3:
		return g.loop()
	}
	return g.nested()
}

func (g *generator) simple() string {
	v := g.local()
	return g.one(
		"s.count++",
		"if err := s.step(ctx, id); err != nil {\n\treturn err\n}",
		"if err := s.store.Save(ctx, id); err != nil {\n\treturn fmt.Errorf(\"save: %w\", err)\n}",
		v+" := first(s.list)\ns.list = append(s.list, "+v+")",
		"s.mu.Lock()\ns.table[name] = id\ns.mu.Unlock()",
		v+", err := s.store.Load(ctx, id)\nif err != nil {\n\treturn err\n}\n_ = "+v,
		"if s.fn != nil {\n\tif err := s.fn(id); err != nil {\n\t\treturn err\n\t}\n}",
		"var "+v+" any = s\nswitch "+v+" := "+v+".(type) {\ncase error:\n\treturn "+v+"\ncase nil:\ncase fmt.Stringer:\n\ts.list = append(s.list, "+v+".String())\n}",
	)
}

// command is a command on keys that are no locks.
func (g *generator) command() string {
	v := g.local()
	return g.one(
		"rdb.Incr(ctx, \"seen\")",
		"if err := rdb.Set(ctx, \"data:\"+name, id, time.Hour).Err(); err != nil {\n\treturn err\n}",
		"if err := rdb.HSet(ctx, \"rows\", name, id).Err(); err != nil {\n\treturn err\n}",
		v+", err := rdb.Get(ctx, \"data:\"+name).Result()\nif err != nil && !errors.Is(err, redis.Nil) {\n\treturn err\n}\ns.list = append(s.list, "+v+")",
		"rdb.LPush(ctx, \"queue\", name)\nrdb.Expire(ctx, \"queue\", time.Hour)",
		"if _, err := rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {\n\tp.Incr(ctx, \"n\")\n\tp.Expire(ctx, \"n\", time.Minute)\n\treturn nil\n}); err != nil {\n\treturn err\n}",
		"rdb.Publish(ctx, \"done\", name)",
	)
}

func (g *generator) branch() string {
	cond := g.one("id > 3", "s.count == 0", "name == \"\"", "len(s.list) > id && id > 0", "ctx.Err() != nil", "!errors.Is(ctx.Err(), context.Canceled)")
	switch g.pick(5) {
	case 0:
		return "if " + cond + " {\n" + g.block() + "}"
	case 1:
		return "if " + cond + " {\n" + g.block() + "} else {\n" + g.block() + "}"
	case 2:
		return "if " + cond + " {\n" + g.block() + "\nreturn errors.New(\"left\")\n}"
	case 3:
		return "switch {\ncase " + cond + ":\n" + g.block() + "case id == 7:\n" + g.block() + g.one("", "fallthrough\n") + "default:\n" + g.block() + "}"
	}
	return "switch id {\ncase 1, 2:\n" + g.block() + "case 3:\n\treturn nil\n}"
}

func (g *generator) loop() string {
	v := g.local()
	leave := g.one("", "if s.count > 9 {\nbreak\n}\n", "if s.count > 9 {\ncontinue\n}\n", "if s.count > 9 {\nreturn nil\n}\n")
	switch g.pick(6) {
	case 0:
		return "for range id {\n" + leave + g.block() + "}"
	case 1:
		return "for _, " + v + " := range s.list {\n_ = " + v + "\n" + leave + g.block() + "}"
	case 2:
		return "for " + v + " := range s.table {\nif " + v + " == name {\n" + g.block() + "}\n" + leave + "}"
	case 3:
		return "for " + v + " := 0; " + v + " < id; " + v + "++ {\n" + g.block() + leave + "}"
	case 4:
		return v + ":\nfor range id {\nfor range s.list {\nif s.count > 3 {\n" + g.one("break ", "continue ") + v + "\n}\n" + g.block() + "}\n}"
	}
	return v + ":\nif s.count++; s.count < id {\n" + g.block() + "goto " + v + "\n}"
}

func (g *generator) nested() string {
	v := g.local()
	switch g.pick(7) {
	case 0:
		return v + " := func() error {\n" + g.block() + "return nil\n}\nif err := " + v + "(); err != nil {\nreturn err\n}"
	case 1:
		return "defer func() {\nif r := recover(); r != nil {\ns.list = append(s.list, fmt.Sprint(r))\n}\n}()"
	case 2:
		return "var " + v + " sync.WaitGroup\n" + v + ".Go(func() {\nif err := func() error {\n" + g.block() + "return nil\n}(); err != nil {\ns.list = append(s.list, err.Error())\n}\n})\n" + v + ".Wait()"
	case 3:
		return "select {\ncase <-ctx.Done():\nreturn ctx.Err()\ndefault:\n" + g.block() + "}"
	case 4:
		return "{\nctx, stop := context.WithTimeout(ctx, time.Second)\ndefer stop()\n_ = ctx\n" + g.block() + "}"
	case 5:
		return "defer func(n int) {\ns.count -= n\n}(id)"
	}
	return "if err := errors.Join(s.step(ctx, 1), func(ctx context.Context) error {\n" + g.block() + "return nil\n}(ctx)); err != nil {\nreturn err\n}"
}

// unlocked writes functions that call the sections.
func (g *generator) unlocked(count int) {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "if err := s.run_%d(ctx, rdb, id, \"eu\", name); err != nil {\n\t%s\n}\n", i, g.one("return err", "s.count++", "s.list = append(s.list, err.Error())"))
	}
	g.line("func (s *service) all(ctx context.Context, rdb *redis.Client, id int, name string) error {\n" + b.String() + "return nil\n}")
}
