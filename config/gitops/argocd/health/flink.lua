-- The health of a resource of kn-flink in Argo CD, one script for all four kinds. It reads the conditions that "kubectl
-- wait" and Flux read: Ready, Reconciling and Stalled, for the newest generation.
--
--   the resource                                         health
--   has a generation that kn-flink has not observed      Progressing
--   is a canary, which has no conditions                 Healthy
--   is Stalled: a user has to act                        Degraded
--   is Reconciling: kn-flink or Flink changes it         Progressing
--   is Ready, and its job is suspended by its spec       Suspended
--   is Ready                                             Healthy
local metadata, status = obj.metadata or {}, obj.status or {}
local observed = status.observedGeneration
if observed ~= nil and observed ~= metadata.generation then
  return { status = "Progressing", message = "waiting for kn-flink to observe the newest generation" }
end
if status.conditions == nil and metadata.labels ~= nil and metadata.labels["flink.apache.org/canary"] == "true" then
  return { status = "Healthy", message = "a canary, which is never deployed" }
end

local is = {}
for _, condition in ipairs(status.conditions or {}) do
  is[condition.type] = condition
end
local function holds(name)
  return is[name] ~= nil and is[name].status == "True"
end
local function says(health, condition)
  return { status = health, message = condition.reason .. ": " .. condition.message }
end

if holds("Stalled") then
  return says("Degraded", is.Stalled)
elseif holds("Reconciling") then
  return says("Progressing", is.Reconciling)
elseif holds("Ready") and is.Ready.reason == "Suspended" then
  return says("Suspended", is.Ready)
elseif holds("Ready") then
  return says("Healthy", is.Ready)
elseif is.Ready ~= nil then
  return says("Progressing", is.Ready)
end
return { status = "Progressing", message = "waiting for kn-flink" }
