// Package model is what runs see of model providers: one call gives one turn,
// made of text, tool calls and measurements. Adapters live below it.
package model
