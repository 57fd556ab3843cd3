package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"
	"strings"
)

// unviable is the number of a mutant that does not compile.
const unviable = -1

// change names a mutant: in which place of a file which token gremlins puts.
type change struct {
	file         string // its name, without a folder
	line, column int
	token        string
}

// edit is one change of a text. At one place what ends comes first, then what is replaced, then what begins; of what
// begins there the outer expression comes first, of what ends there the inner one.
type edit struct {
	at, length  int
	text        string
	rank, order int
}

const (
	ending = iota
	replacing
	beginning
)

// switches puts the mutants of one file behind their numbers.
type switches struct {
	fset   *token.FileSet
	info   *types.Info
	name   string
	skip   func(line int) bool // lines that do not compile with numbers
	next   *int
	found  map[change]int
	edits  []edit
	order  int
	fixed  int      // depth of what must stay a constant
	around []string // what break and continue speak of: "loop", "switch", "func"
}

// number gives each mutant of a file its number, and returns the text in which MUTANT chooses one. Lines stay the lines
// they are.
func (s *switches) number(file *ast.File, text string) string {
	s.walk(file)
	sort.SliceStable(s.edits, func(i, j int) bool {
		a, b := s.edits[i], s.edits[j]
		if a.at != b.at {
			return a.at < b.at
		}
		if a.rank != b.rank {
			return a.rank < b.rank
		}
		if a.rank == ending {
			return a.order > b.order
		}
		return a.order < b.order
	})
	var out strings.Builder
	from := 0
	for _, e := range s.edits {
		out.WriteString(text[from:e.at])
		out.WriteString(e.text)
		from = e.at + e.length
	}
	out.WriteString(text[from:])
	return out.String()
}

// walk visits what is below a node.
func (s *switches) walk(node ast.Node) {
	ast.Inspect(node, func(n ast.Node) bool {
		if n == nil || n == node {
			return n != nil
		}
		s.order++
		s.visit(n)
		return false
	})
}

// visit writes the switches of one node, and of all below it.
func (s *switches) visit(n ast.Node) {
	order := s.order
	switch n := n.(type) {
	case *ast.BinaryExpr:
		s.binary(n, order)
	case *ast.UnaryExpr:
		s.unary(n, order)
	case *ast.IncDecStmt:
		s.step(n, order)
	case *ast.AssignStmt:
		s.assign(n, order)
	case *ast.BranchStmt:
		s.branch(n, order)
	}
	fixed, around := s.fixed, len(s.around)
	switch n := n.(type) {
	case *ast.GenDecl:
		if n.Tok == token.CONST {
			s.fixed++
		}
	case *ast.ArrayType:
		s.fixed++
	case *ast.ForStmt, *ast.RangeStmt:
		s.around = append(s.around, "loop")
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		s.around = append(s.around, "switch")
	case *ast.FuncLit:
		s.around = append(s.around, "func")
	}
	s.walk(n)
	s.fixed, s.around = fixed, s.around[:around]
}

// numbered returns the number of a mutant, a new one.
func (s *switches) numbered(at token.Pos, put token.Token) int {
	*s.next++
	s.found[s.change(at, put)] = *s.next
	return *s.next
}

func (s *switches) never(at token.Pos, put token.Token) { s.found[s.change(at, put)] = unviable }

func (s *switches) change(at token.Pos, put token.Token) change {
	p := s.fset.Position(at)
	return change{s.name, p.Line, p.Column, put.String()}
}

func (s *switches) edit(at token.Pos, length int, rank, order int, text string) {
	p := s.fset.Position(at)
	s.edits = append(s.edits, edit{at: p.Offset, length: length, text: text, rank: rank, order: order})
}

func (s *switches) skipped(nodes ...token.Pos) bool {
	return slices.ContainsFunc(nodes, func(p token.Pos) bool { return s.skip(s.fset.Position(p).Line) })
}

var opposite = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.GEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR,
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.REM: token.MUL,
}

var edge = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
}

var calls = map[token.Token]string{
	token.EQL: "mutantNot", token.NEQ: "mutantNot", token.LAND: "mutantAnd", token.LOR: "mutantOr",
	token.LSS: "mutantLess", token.LEQ: "mutantMost", token.GTR: "mutantMore", token.GEQ: "mutantLeast",
	token.ADD: "mutantPlus", token.SUB: "mutantMinus",
	token.MUL: "mutantTimes", token.QUO: "mutantBy", token.REM: "mutantRest",
}

func (s *switches) binary(n *ast.BinaryExpr, order int) {
	put, known := opposite[n.Op]
	if !known {
		return
	}
	kind := s.basic(n)
	if n.Op == token.ADD && kind != nil && kind.Info()&types.IsString != 0 {
		s.never(n.OpPos, put)
		return
	}
	if s.fixed > 0 || s.skipped(n.Pos(), n.OpPos, n.End()) {
		return
	}
	call := calls[n.Op] + s.typed(n)
	before, between, after := call, ", ", ")"
	switch n.Op {
	case token.EQL, token.NEQ:
		s.edit(n.Pos(), 0, beginning, order, fmt.Sprintf("%s(%d, ", call, s.numbered(n.OpPos, put)))
		s.edit(n.End(), 0, ending, order, ")")
		return
	case token.LAND, token.LOR:
		before += fmt.Sprintf("(%d, ", s.numbered(n.OpPos, put))
		between, after = ", func() bool { return (", ") })"
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		before += fmt.Sprintf("(%d, %d, ", s.numbered(n.OpPos, edge[n.Op]), s.numbered(n.OpPos, put))
	default:
		before += fmt.Sprintf("(%d, ", s.numbered(n.OpPos, put))
	}
	s.edit(n.Pos(), 0, beginning, order, before)
	s.edit(n.OpPos, len(n.Op.String()), replacing, order, between)
	s.edit(n.End(), 0, ending, order, after)
}

// basic is the type under that of an expression, if it is a basic one.
func (s *switches) basic(n ast.Expr) *types.Basic {
	t := s.info.TypeOf(n)
	if t == nil {
		return nil
	}
	b, _ := t.Underlying().(*types.Basic)
	return b
}

// typed is the type of an expression of numbers as an argument of a generic function: two constants do not tell it.
func (s *switches) typed(n ast.Expr) string {
	t, plain := s.info.TypeOf(n).(*types.Basic)
	if !plain || t.Info()&types.IsUntyped != 0 || t.Info()&types.IsNumeric == 0 {
		return ""
	}
	return "[" + t.Name() + "]"
}

func (s *switches) unary(n *ast.UnaryExpr, order int) {
	switch {
	case n.Op == token.AND:
		s.never(n.OpPos, token.OR)
	case n.Op == token.SUB && s.fixed == 0 && !s.skipped(n.Pos()):
		s.edit(n.OpPos, 1, beginning, order, fmt.Sprintf("mutantSign%s(%d, ", s.typed(n), s.numbered(n.OpPos, token.ADD)))
		s.edit(n.End(), 0, ending, order, ")")
	}
}

// addressed tells whether a pointer to an expression can be taken: not to an entry of a map.
func (s *switches) addressed(n ast.Expr) bool {
	index, is := n.(*ast.IndexExpr)
	if !is {
		return true
	}
	_, entry := s.info.TypeOf(index.X).Underlying().(*types.Map)
	return !entry
}

func (s *switches) step(n *ast.IncDecStmt, order int) {
	if !s.addressed(n.X) || s.skipped(n.Pos()) {
		return
	}
	call, put := "mutantUp", token.DEC
	if n.Tok == token.DEC {
		call, put = "mutantDown", token.INC
	}
	s.edit(n.Pos(), 0, beginning, order, fmt.Sprintf("%s(%d, &", call, s.numbered(n.TokPos, put)))
	s.edit(n.TokPos, 2, replacing, order, ")")
}

func (s *switches) assign(n *ast.AssignStmt, order int) {
	call, put := "", token.ILLEGAL
	switch n.Tok {
	case token.ADD_ASSIGN:
		call, put = "mutantAdd", token.SUB_ASSIGN
	case token.SUB_ASSIGN:
		call, put = "mutantTake", token.ADD_ASSIGN
	default:
		return
	}
	if !s.addressed(n.Lhs[0]) || s.skipped(n.Pos(), n.End()) {
		return
	}
	inverted := unviable
	if kind := s.basic(n.Lhs[0]); kind != nil && kind.Info()&types.IsString != 0 {
		call = "mutantAppend"
		s.never(n.TokPos, put)
	} else {
		inverted = s.numbered(n.TokPos, put)
	}
	s.edit(n.Pos(), 0, beginning, order, fmt.Sprintf("%s(%d, %d, &", call, inverted, s.numbered(n.TokPos, token.ASSIGN)))
	s.edit(n.TokPos, 2, replacing, order, ", ")
	s.edit(n.End(), 0, ending, order, ")")
}

func (s *switches) branch(n *ast.BranchStmt, order int) {
	var put token.Token
	switch n.Tok {
	case token.BREAK:
		put = token.CONTINUE
		if lastIndex(s.around, "loop") <= lastIndex(s.around, "func") {
			s.never(n.TokPos, put)
			return
		}
	case token.CONTINUE:
		put = token.BREAK
	default:
		return
	}
	if s.skipped(n.Pos()) {
		return
	}
	label := ""
	if n.Label != nil {
		label = " " + n.Label.Name
	}
	text := fmt.Sprintf("if mutantOn(%d) { %s%s } else { %s%s }", s.numbered(n.TokPos, put), put, label, n.Tok, label)
	s.edit(n.Pos(), int(n.End()-n.Pos()), replacing, order, text)
}

func lastIndex(list []string, value string) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] == value {
			return i
		}
	}
	return -1
}
