// Package document checks files of the kit, such as scenarios and target files, against the documents that describe
// them (folder schemas/hallmark), and says what is wrong with file, line and column.
package document
