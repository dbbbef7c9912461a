package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// step is one instruction of a Dockerfile, its name in capitals.
type step struct{ op, args string }

// stage is what stands between two FROM lines.
type stage struct {
	base, name string
	steps      []step
}

// parse returns the stages of a Dockerfile and the values of the arguments before the first of them, which given
// replaces. It knows what the repository's Dockerfile uses, and fails for what it does not know.
func parse(text string, given map[string]string) ([]stage, map[string]string, error) {
	global := map[string]string{}
	var stages []stage
	for _, line := range instructions(text) {
		op, args, _ := strings.Cut(line, " ")
		args = strings.TrimSpace(args)
		switch op {
		case "FROM":
			fields := strings.Fields(expand(args, global))
			s := stage{base: fields[0]}
			if len(fields) == 3 && fields[1] == "AS" {
				s.name = fields[2]
			}
			stages = append(stages, s)
		case "ARG", "RUN", "COPY", "ENV", "WORKDIR", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT":
			if len(stages) > 0 {
				last := &stages[len(stages)-1]
				last.steps = append(last.steps, step{op, args})
				continue
			}
			name, value, _ := strings.Cut(args, "=")
			if op != "ARG" {
				return nil, nil, fmt.Errorf("%s before the first FROM", op)
			}
			global[name] = expand(value, global)
			if v, ok := given[name]; ok {
				global[name] = v
			}
		default:
			return nil, nil, fmt.Errorf("the instruction %q is not known here", op)
		}
	}
	return stages, global, nil
}

// instructions returns the lines of a Dockerfile without comments, those that end in a backslash joined.
func instructions(text string) (list []string) {
	var whole string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") || line == "" {
			continue
		}
		if part, more := strings.CutSuffix(line, "\\"); more {
			whole += part
			continue
		}
		list = append(list, whole+line)
		whole = ""
	}
	return list
}

var variable = regexp.MustCompile(`\$\{(\w+)\}|\$(\w+)`)

// expand puts values in the place of $NAME and ${NAME}; a name without a value is empty.
func expand(text string, values map[string]string) string {
	return variable.ReplaceAllStringFunc(text, func(name string) string { return values[strings.Trim(name, "${}")] })
}

// named returns the index of the stage of that name, or -1.
func named(stages []stage, name string) int {
	return slices.IndexFunc(stages, func(s stage) bool { return s.name == name })
}
