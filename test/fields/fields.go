package fields

import (
	"reflect"
	"strings"
)

// Set are the names of the fields of a struct that are not zero, in their order, with blanks between.
func Set(of any) string {
	var names []string
	v := reflect.ValueOf(of)
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			names = append(names, v.Type().Field(i).Name)
		}
	}
	return strings.Join(names, " ")
}
