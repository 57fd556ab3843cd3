// Package drawing holds code to the tables that are drawn in its comments.
//
// I/O: it reads Go files of the folder that a test runs in.
//
// A table is an indented block of the comment of a declaration. Columns are separated by two or more spaces. The first
// line names the columns, the first cell of a row names the row, and a line whose first cell is empty goes on with the
// row above, each cell in the column where it stands. A test says of each case which row it shows, as a way through
// the tables: "12/B1/C2" is row 12, which refers to B1, which refers to C2. The last row of the way is the one that
// answers, but a cell of it that begins with "see" leaves the answer to the rows before. Shown tells whether each row
// has a case and each case a row, and Holds whether the code answered what is drawn. Start reading at Read.
package drawing
