package run

import (
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/config"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/failure"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/model"
	"github.com/hallmark-kit/hallmark/reference/agenticdriver/schemata"
)

// Defaults and bounds of runs.
const (
	defaultSteps        = 8
	defaultOutputTokens = 4096
	defaultRetryBase    = 500
	defaultRetryMax     = 30_000
	defaultHits         = 8
	maxDefinitions      = 128_000   // bytes of JSON of all application tools
	maxHostOutput       = 1_000_000 // bytes of a host tool's output
	maxMetadata         = 32
)

// Plan is a run that has been checked and may be carried out.
type Plan struct {
	Request  *protocol.RunRequest
	Provider *config.Provider
	adapter  model.Adapter
	attached []content
	tools    []model.Tool
	host     map[string]*HostTool
	apps     map[string]*appTool
	output   *schemata.Schema // nil: text
	idle     time.Duration
	steps    int64
	tokens   int64
}

// appTool is a tool that the application carries out.
type appTool struct {
	input, output *schemata.Schema
	needsApproval bool
}

// Validate checks a request that is valid by its schema, in the protocol's
// order: the first check that fails decides. Nothing is changed by it.
func (e *Engine) Validate(req *protocol.RunRequest, p *config.Principal) (*Plan, error) {
	plan := &Plan{Request: req}
	doc := e.Config()
	for _, check := range []func() error{
		func() error { return e.checkShape(req) },
		func() error { return e.checkSession(req) },
		func() error { return e.checkRetrieval(req) },
		func() error {
			if req.IdempotencyKey.Set && !e.Features.Idempotency {
				return failure.New(protocol.ErrorCodeIDEMPOTENCYUNAVAILABLE, "The host keeps no idempotency keys.")
			}
			return nil
		},
		func() error {
			if plan.Provider = doc.Provider(req.Provider); plan.Provider == nil {
				return failure.New(protocol.ErrorCodeUNKNOWNPROVIDER, "There is no such provider.")
			}
			plan.adapter = e.Adapter(plan.Provider)
			return nil
		},
		func() (err error) { plan.attached, err = e.inline(req.Attachments); return err },
		func() error { return e.checkModalities(plan) },
		func() error { return checkArtifact(req) },
		func() error {
			if req.Retry != nil && req.Retry.MaxAttempts > 1 && !plan.Provider.Can("safeRetries") {
				return failure.New(protocol.ErrorCodeUNSUPPORTEDCAPABILITY, "The provider does not support safe retries.")
			}
			return nil
		},
		func() error {
			if !plan.Provider.Allows(req.Model) {
				return failure.New(protocol.ErrorCodeUNSUPPORTEDMODEL, "The provider does not run this model.")
			}
			return nil
		},
		func() error {
			for _, c := range req.RequiredCapabilities {
				if !plan.Provider.Can(c) {
					return failure.New(protocol.ErrorCodeUNSUPPORTEDCAPABILITY, "The provider lacks a required capability.")
				}
			}
			return nil
		},
		func() error { return e.checkTools(plan, p) },
		func() error {
			if req.Approvals != nil && !e.Features.Approvals {
				return failure.New(protocol.ErrorCodeAPPROVALUNAVAILABLE, "The host takes no interactive decisions.")
			}
			return nil
		},
		func() (err error) {
			if req.OutputSchema != nil {
				plan.output, err = compile(req.OutputSchema, "The output schema")
			}
			return err
		},
	} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	plan.bounds(doc.Limits)
	return plan, nil
}

// checkShape checks what the schema of the request cannot say.
func (e *Engine) checkShape(req *protocol.RunRequest) error {
	switch {
	case len(req.Metadata) > maxMetadata && !e.Policy.MetadataUnlimited:
		return failure.Newf(protocol.ErrorCodeINVALIDREQUEST, "There are more than %d metadata.", maxMetadata)
	case repeated(req.RequiredCapabilities):
		return failure.New(protocol.ErrorCodeINVALIDREQUEST, "A required capability is named twice.")
	}
	ids := map[string]bool{}
	for _, a := range req.Attachments {
		id := sourceID(a)
		if ids[id] {
			return failure.New(protocol.ErrorCodeINVALIDREQUEST, "Two attachments have the same id.")
		}
		ids[id] = true
	}
	return nil
}

func (e *Engine) checkSession(req *protocol.RunRequest) error {
	switch {
	case req.Session == nil:
		return nil
	case !e.Features.Sessions:
		return failure.New(protocol.ErrorCodeSESSIONSUNAVAILABLE, "The host keeps no sessions.")
	case req.History != nil || req.Instructions.Set:
		return failure.New(protocol.ErrorCodeSESSIONHISTORYCONFLICT, "A run in a session has neither history nor instructions of its own.")
	case req.Attachments != nil || req.Retrieval != nil:
		return failure.New(protocol.ErrorCodeSESSIONCONTEXTUNSUPPORTED, "A run in a session has neither attachments nor retrieval.")
	}
	return nil
}

func (e *Engine) checkRetrieval(req *protocol.RunRequest) error {
	if req.Retrieval == nil {
		return nil
	}
	if !e.Features.Retrieval {
		return failure.New(protocol.ErrorCodeRETRIEVALUNAVAILABLE, "The host has no retrieval.")
	}
	if int64(len(req.Attachments))+req.Retrieval.Limit.Or(defaultHits) > MaxEvidence {
		return failure.Newf(protocol.ErrorCodeINVALIDRETRIEVAL, "Attachments and passages are more than %d together.", MaxEvidence)
	}
	if _, err := searchOf(req); err != nil {
		return err
	}
	return nil
}

func (e *Engine) checkModalities(plan *Plan) error {
	for i := range plan.attached {
		c := &plan.attached[i]
		if c.reference != nil && !e.Features.References {
			return failure.New(protocol.ErrorCodeCONTEXTUNAVAILABLE, "The host resolves no references.")
		}
		if c.text() {
			continue
		}
		allowed := false
		for _, t := range plan.Provider.InputMediaTypes[plan.Request.Model] {
			allowed = allowed || t == c.manifest.MediaType
		}
		if !allowed {
			return failure.New(protocol.ErrorCodeUNSUPPORTEDMODALITY, "The model takes no input of this media type.")
		}
	}
	return nil
}

func checkArtifact(req *protocol.RunRequest) error {
	a := req.OutputArtifact
	switch {
	case a == nil:
		return nil
	case a.Name == "." || a.Name == "..":
		return failure.New(protocol.ErrorCodeINVALIDARTIFACT, "The artifact's name names a folder.")
	case a.MediaType == protocol.ArtifactMediaTypeApplicationJSON && req.OutputSchema == nil:
		return failure.New(protocol.ErrorCodeINVALIDARTIFACT, "A JSON artifact needs an output schema.")
	}
	return nil
}

func (e *Engine) checkTools(plan *Plan, p *config.Principal) error {
	req := plan.Request
	if (len(req.Tools) > 0 || req.ApplicationTools != nil) && !plan.Provider.Can("tools") {
		return failure.New(protocol.ErrorCodeUNSUPPORTEDTOOLS, "The provider calls no tools.")
	}
	if repeated(req.Tools) {
		return failure.New(protocol.ErrorCodeINVALIDREQUEST, "A tool is named twice.")
	}
	if err := e.checkApplicationTools(plan, p); err != nil {
		return err
	}
	plan.host = map[string]*HostTool{}
	for _, name := range req.Tools {
		if plan.apps[name] != nil {
			continue
		}
		t := e.Tools[name]
		if t == nil && e.Policy.UnknownToolDropped {
			continue
		}
		if t == nil {
			return failure.New(protocol.ErrorCodeUNKNOWNTOOL, "There is no such tool.")
		}
		plan.host[name] = t
		plan.tools = append(plan.tools, t.Definition)
	}
	return nil
}

func (e *Engine) checkApplicationTools(plan *Plan, p *config.Principal) error {
	req := plan.Request
	if req.ApplicationTools == nil {
		return nil
	}
	if !e.Features.ApplicationTools {
		return failure.New(protocol.ErrorCodeAPPLICATIONTOOLSUNAVAILABLE, "The host gives no tools to applications.")
	}
	plan.apps = map[string]*appTool{}
	size := 2
	for i := range req.ApplicationTools {
		d := &req.ApplicationTools[i]
		if plan.apps[d.Name] != nil || e.Tools[d.Name] != nil {
			return failure.New(protocol.ErrorCodeTOOLDEFINITIONCONFLICT, "A tool is defined twice, or the host has one of its name.")
		}
		plan.apps[d.Name] = &appTool{}
		size += len(d.AppendJSON(nil)) + 1
	}
	for i := range req.ApplicationTools {
		if !contains(req.Tools, req.ApplicationTools[i].Name) {
			return failure.New(protocol.ErrorCodeINVALIDREQUEST, "A tool is defined, but not among the tools of the run.")
		}
	}
	if size-1 > maxDefinitions && !e.Policy.DefinitionsUnlimited {
		return failure.Newf(protocol.ErrorCodeTOOLDEFINITIONLIMIT, "The definitions of tools have more than %d bytes.", maxDefinitions)
	}
	for i := range req.ApplicationTools {
		d := &req.ApplicationTools[i]
		tool := plan.apps[d.Name]
		var err error
		if tool.input, err = compile(d.InputSchema, "An input schema"); err != nil {
			return err
		}
		if d.OutputSchema != nil {
			if tool.output, err = compile(d.OutputSchema, "An output schema"); err != nil {
				return err
			}
		}
		grant, granted := p.ApplicationTool(d.Name)
		tool.needsApproval = e.Config().ApplicationToolsNeedApproval || d.RequiresApproval.Or(false) ||
			!granted || grant.RequiresApproval.Or(true)
		plan.tools = append(plan.tools, model.Tool{Name: d.Name, Description: d.Description, InputSchema: d.InputSchema})
	}
	return nil
}

func compile(text []byte, what string) (*schemata.Schema, error) {
	s, err := schemata.Compile(text)
	if err != nil {
		return nil, failure.New(protocol.ErrorCodeINVALIDSCHEMA, what+" is not one that the host can apply.")
	}
	return s, nil
}

func (p *Plan) bounds(limits config.Limits) {
	p.steps = min(p.Request.MaxSteps.Or(defaultSteps), limits.MaxSteps)
	p.tokens = p.Request.MaxOutputTokens.Or(defaultOutputTokens)
	p.idle = config.Duration(limits.IdleTimeoutMs)
	if own := config.Duration(p.Request.IdleTimeoutMs.Or(0)); own > 0 && (p.idle <= 0 || own < p.idle) {
		p.idle = own
	}
}

// Authorise checks a valid plan against the grants.
func (e *Engine) Authorise(plan *Plan, p *config.Principal) error {
	req := plan.Request
	if !p.MayUse(req.Provider) {
		return failure.New(protocol.ErrorCodeFORBIDDEN, "The token does not allow this provider.")
	}
	for name := range plan.host {
		if !p.MayCall(name) {
			return failure.New(protocol.ErrorCodeFORBIDDEN, "The token does not allow this tool.")
		}
	}
	for name := range plan.apps {
		if _, ok := p.ApplicationTool(name); !ok {
			return failure.New(protocol.ErrorCodeFORBIDDEN, "The token does not allow this application tool.")
		}
	}
	if req.Retrieval != nil && !p.MaySearch(req.Retrieval.Corpus) {
		return failure.New(protocol.ErrorCodeFORBIDDEN, "The token does not allow searches of this corpus.")
	}
	return nil
}

// StreamRequired refuses what only a stream can carry.
func (p *Plan) StreamRequired() error {
	switch {
	case p.Request.ApplicationTools != nil:
		return failure.New(protocol.ErrorCodeTOOLSTREAMREQUIRED, "Application tools need an event stream.")
	case p.Request.Approvals != nil:
		return failure.New(protocol.ErrorCodeAPPROVALSTREAMREQUIRED, "Interactive approvals need an event stream.")
	}
	return nil
}

func repeated(list []string) bool {
	seen := map[string]bool{}
	for _, s := range list {
		if seen[s] {
			return true
		}
		seen[s] = true
	}
	return false
}
