// Renders the chart with what helm renders it with: Go's own text/template, the functions of Sprig, and of helm's own those
// that deploy/chart uses. It prints the notes as a comment, and the manifests as `helm template` does. It asks no schema.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run tools/chart/render.go <chart> <release> <namespace> [values.yaml …]
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type values = map[string]interface{}

// What Chart.yaml says of itself, as templates ask for it.
type chart struct {
	Name, Version, AppVersion, KubeVersion, Description, Type string
}

func read(path string, into interface{}) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return yaml.Unmarshal(text, into)
}

// What is given goes over what the chart has, map by map. A null takes away.
func over(base, given values) {
	for name, value := range given {
		inner, isMap := value.(values)
		outer, wasMap := base[name].(values)
		if value == nil {
			delete(base, name)
		} else if isMap && wasMap {
			over(outer, inner)
		} else {
			base[name] = value
		}
	}
}

// The functions that helm has beside Sprig's. Sprig's own two that read the environment are not among helm's.
func functions(all *template.Template) template.FuncMap {
	known := sprig.TxtFuncMap()
	delete(known, "env")
	delete(known, "expandenv")
	known["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	known["fromYaml"] = func(text string) (values, error) {
		read := values{}
		return read, yaml.Unmarshal([]byte(text), &read)
	}
	known["include"] = func(name string, data interface{}) (string, error) {
		var text strings.Builder
		err := all.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	known["required"] = func(words string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, errors.New(words)
		}
		return value, nil
	}
	return known
}

// Each file of the templates by its name, with what it came to.
func render(folder string, given values) (map[string]string, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	if err != nil {
		return nil, err
	}
	all := template.New("chart").Option("missingkey=zero")
	all.Funcs(functions(all))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if _, err := all.New(filepath.Base(path)).Parse(string(text)); err != nil {
			return nil, err
		}
	}
	rendered := map[string]string{}
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "_") {
			continue
		}
		var text strings.Builder
		if err := all.ExecuteTemplate(&text, name, given); err != nil {
			return nil, err
		}
		rendered[name] = strings.ReplaceAll(text.String(), "<no value>", "")
	}
	return rendered, nil
}

func run(folder, release, namespace string, files []string) error {
	about, merged := chart{}, values{}
	if err := read(filepath.Join(folder, "Chart.yaml"), &about); err != nil {
		return err
	}
	for _, path := range append([]string{filepath.Join(folder, "values.yaml")}, files...) {
		given := values{}
		if err := read(path, &given); err != nil {
			return err
		}
		over(merged, given)
	}
	rendered, err := render(folder, values{
		"Values":  merged,
		"Chart":   about,
		"Release": values{"Name": release, "Namespace": namespace, "Service": "Helm"},
	})
	if err != nil {
		return err
	}
	names := []string{}
	for name := range rendered {
		names = append(names, name)
	}
	sort.Strings(names)
	fmt.Println("# " + strings.ReplaceAll(strings.TrimSpace(rendered["NOTES.txt"]), "\n", "\n# "))
	for _, name := range names {
		if text := strings.TrimSpace(rendered[name]); text != "" && name != "NOTES.txt" {
			fmt.Printf("---\n# Source: %s/templates/%s\n%s\n", about.Name, name, text)
		}
	}
	return nil
}

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "render <chart> <release> <namespace> [values.yaml …]")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3], os.Args[4:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
