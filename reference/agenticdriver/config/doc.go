// Package config reads a host's configuration: who may call it, with which
// rights, which providers and tools it has, and its limits. The document is
// YAML or JSON. Its content hash is the revision of the provider settings.
package config
