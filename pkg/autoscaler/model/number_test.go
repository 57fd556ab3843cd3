package model

import (
	"math"
	"math/big"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func TestRounding(t *testing.T) {
	for _, row := range []struct{ in, want float64 }{
		{1.0005, 1.001}, {1.00049, 1}, {-1.0005, -1.001}, {2.675, 2.675}, {0.0004, 0.0004}, {-0.0004, -0.0004},
		{0.0005, 0.001}, {9.9995, 10}, {999.9999, 1000}, {1e20, 1e20}, {0, 0}, {Inf, Inf}, {-Inf, -Inf},
		{123456789.0125, 123456789.013}, {1.005, 1.005}, {285.7145, 285.715},
	} {
		if got := Round3(row.in); got != row.want {
			t.Errorf("Round3(%v) = %v, want %v", row.in, got, row.want)
		}
	}
	if !math.IsNaN(Round3(NaN)) {
		t.Error("NaN is kept")
	}
	for in, want := range map[float64]string{
		1.005: "1.01", 2.675: "2.68", 0.125: "0.13", 1e7: "10000000.00", 0.004: "0.00", 99.995: "100.00", -1.005: "-1.01",
		5: "5.00",
	} {
		if got := Fixed(in); got != want {
			t.Errorf("Fixed(%v) = %s, want %s", in, got, want)
		}
	}
	for in, want := range map[float64]float64{0.0011: 0.002, 0.001: 0.001, 0.6541: 0.655, 1: 1, 0: 0} {
		if got := CeilTo(in, 3); got != want {
			t.Errorf("CeilTo(%v) = %v, want %v", in, got, want)
		}
	}
	for in, want := range map[float64]float64{
		0.5: 1, 1.5: 2, -0.5: 0, -1.5: -1, 0.49999999999999994: 0, 1e300: math.MaxInt64, -1e300: math.MinInt64,
	} {
		if got := Round(in); got != want {
			t.Errorf("Round(%v) = %v, want %v", in, got, want)
		}
	}
	if Int(NaN) != 0 || Int(Inf) != math.MaxInt32 || Int(-Inf) != math.MinInt32 || Int(-1.9) != -1 {
		t.Error("conversion to 32 bits")
	}
	if Long(NaN) != 0 || Long(Inf) != math.MaxInt64 || Long(-Inf) != math.MinInt64 || Long(1.9) != 1 {
		t.Error("conversion to 64 bits")
	}
}

// slowRound rounds on the decimal text by exact fractions.
func slowRound(x float64, decimals int64) *big.Rat {
	exact, _ := new(big.Rat).SetString(strconv.FormatFloat(math.Abs(x), 'f', -1, 64))
	unit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(decimals), nil))
	scaled := exact.Mul(exact, unit)
	scaled.Add(scaled, big.NewRat(1, 2))
	whole := new(big.Int).Quo(scaled.Num(), scaled.Denom())
	rounded := new(big.Rat).Quo(new(big.Rat).SetInt(whole), unit)
	if x < 0 {
		rounded.Neg(rounded)
	}
	return rounded
}

func TestRoundingIsThatOfExactFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.OneOf(rapid.Float64Range(-1e9, 1e9), rapid.Float64Range(-1, 1), rapid.Custom(func(t *rapid.T) float64 {
			return float64(rapid.Int64Range(-1e9, 1e9).Draw(t, "ten thousandths")) / 1e4
		})).Draw(t, "x")
		want, _ := slowRound(x, 3).Float64()
		if want == 0 {
			want = x
		}
		if got := Round3(x); got != want {
			t.Fatalf("Round3(%v) = %v, want %v", x, got, want)
		}
		text, _ := new(big.Rat).SetString(Fixed(x))
		if text.Cmp(slowRound(x, 2)) != 0 {
			t.Fatalf("Fixed(%v) = %s, want %v", x, Fixed(x), slowRound(x, 2).FloatString(2))
		}
	})
}
