// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/serving-notes.h"

#include "common/text.h"
#include "common/unit-parser.h"
#include "simulation/notes/pass-warnings.h"
#include "workload/models/model-parameters.h"
#include "workload/models/transformer-shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

/// The layers of the largest stage.
uint64_t
FindMostLayers(const ServingInput& serving)
{
    uint64_t most = 0;
    for (const ServingInstance& instance : serving.instances)
    {
        most = std::max(most, instance.Model().LayersOf(0)); // no stage has more than the first
    }
    return most;
}

/// Where layers are left out, their time is there and their work is not.
void
NoteLayersLeftOut(const ServeOptions& serve,
                  const ServingInput& instances,
                  std::vector<std::string>& notes)
{
    const uint64_t most = FindMostLayers(instances);
    if (serve.layers && *serve.layers < most)
    {
        notes.push_back(
            fmt::format("workload.serve.layers: {} of the {} layers of a stage are simulated, and "
                        "the others only take their time. Times of requests and of instances count "
                        "all layers; bytes, use of links, and compute and communication of ranks "
                        "count those simulated, so ranks seem idle while an instance is busy",
                        *serve.layers,
                        most));
    }
}

void
NotePrefixKeys(const ServeOptions& serve, std::vector<std::string>& notes)
{
    const bool isCached = serve.batching.hasPrefixCache;
    const bool isDrawn = !serve.requestTrace;
    const bool isShared = serve.requests.prefixTokens > 0;
    if (isDrawn && isShared && !isCached)
    {
        notes.emplace_back("workload.serve.requests.prefix has no effect: the keys and values that "
                           "prompts have in common are not kept; write batching: {prefix-cache: "
                           "on}");
    }
    if (isDrawn && !isShared && isCached)
    {
        notes.emplace_back("workload.serve.batching.prefix-cache has no effect: prompts have "
                           "nothing in common; write requests: {prefix: {tokens: 512, groups: 8}}");
    }
    if (isDrawn && !isShared && serve.requests.prefixGroups > 1)
    {
        notes.emplace_back("workload.serve.requests.prefix.groups has no effect: the prompts of a "
                           "group have no tokens in common; write prefix: {tokens: 512, groups: "
                           "8}");
    }
    if (serve.router == RoutingPolicy::Prefix && !isCached)
    {
        notes.emplace_back("workload.serve.router: prefix finds no prompt in a cache, and does "
                           "what least-loaded does; write batching: {prefix-cache: on}");
    }
}

void
NoteExpertType(const ServingInput& instances, std::vector<std::string>& notes)
{
    // All instances serve one model.
    const ForwardModel& model = instances.instances.front().Model();
    if (model.shape.experts == 0 && model.expertType != model.elementType)
    {
        notes.emplace_back("workload.serve.model.expert-dtype has no effect: the model has no "
                           "experts");
    }
}

/// Whether the next request of a user waits for the answer to the one before: then no queue grows
/// beyond the users, who all come at once.
bool
IsClosedLoop(const ServeOptions& serve)
{
    return !serve.requestTrace && serve.requests.process == ArrivalOptions::Process::Closed;
}

void
WarnOfOverload(const ServeOptions& serve,
               const ServingTotals& served,
               std::vector<std::string>& warnings)
{
    if (served.isOverloaded && !IsClosedLoop(serve))
    {
        warnings.emplace_back("more requests came than the instances can serve: the queue grew to "
                              "the end, so the times to the first token follow the number of "
                              "requests");
    }
    if (served.isDecodeOverloaded && !IsClosedLoop(serve))
    {
        warnings.emplace_back("more prompts were computed than the decode instances can go on "
                              "with: the queue for room there grew to the end, so the transfers "
                              "and the times for each further token (transfer_ns, tpot_ns) follow "
                              "the number of requests");
    }
}

/// Of requests from a file, which is read as the run goes on.
void
WarnOfPrefixCache(const ServeOptions& serve,
                  const ServingTotals& served,
                  std::vector<std::string>& warnings)
{
    if (!serve.requestTrace || served.requests == 0)
    {
        return;
    }
    if (!serve.batching.hasPrefixCache && served.namedPrefixes > 0)
    {
        warnings.push_back(fmt::format("{} of the file say what their prompts have in common "
                                       "(hash_ids), without effect: it is not kept; write "
                                       "batching: {{prefix-cache: on}}",
                                       CountText(served.namedPrefixes, "request")));
    }
    if (serve.batching.hasPrefixCache && served.namedPrefixes == 0)
    {
        warnings.emplace_back("workload.serve.batching.prefix-cache had no effect: no request of "
                              "the file says what its prompt has in common with others (hash_ids)");
    }
}

/// Rates count from time 0. Requests that are drawn come from then on; those of a file may be cut
/// out of a longer one.
void
WarnOfIdleBegin(const ServeOptions& serve,
                const ServingTotals& served,
                std::vector<std::string>& warnings)
{
    constexpr int64_t worthSaying = 100; // a hundredth of the run
    if (serve.requestTrace && served.firstArrival.Ps() > served.end.Ps() / worthSaying)
    {
        warnings.push_back(fmt::format("the first request of the file arrives at {}, and rates "
                                       "count from 0: throughput, goodput and use are too low by "
                                       "the time before it; subtract the first time of the file "
                                       "from all of them",
                                       ToRoundedText(served.firstArrival)));
    }
}

/// The sequence of a model is what it is trained with; it has no effect on requests.
void
WarnOfLongRequests(const ServeOptions& serve,
                   const ServingTotals& served,
                   std::vector<std::string>& warnings)
{
    const Parameters model = Parameters::Parse(ServedModelSpecs(), serve.model.parameters);
    const uint64_t sequence = TransformerShape::Read(model).sequence;
    if (served.longest > sequence)
    {
        warnings.push_back(fmt::format("the longest request has {} tokens with its answer, more "
                                       "than the sequence of the model, {}, which bounds "
                                       "none; write shorter ones, or the sequence that "
                                       "the model can do",
                                       served.longest,
                                       sequence));
    }
}

} // namespace

std::vector<std::string>
FindServingNotes(const ServeOptions& serve, const ServingInput& instances)
{
    std::vector<std::string> notes;
    NoteLayersLeftOut(serve, instances, notes);
    NotePrefixKeys(serve, notes);
    NoteExpertType(instances, notes);
    return notes;
}

std::vector<std::string>
FindServingWarnings(const RunInput& input, const RunResults& results)
{
    std::vector<std::string> warnings;
    if (results.status == RunStatus::Interrupted || !results.serving)
    {
        return warnings;
    }
    const ServeOptions& serve = *input.Config().workload.serve;
    const ServingTotals& served = *results.serving;
    WarnOfOverload(serve, served, warnings);
    WarnOfIdleBegin(serve, served, warnings);
    WarnOfLongRequests(serve, served, warnings);
    WarnOfPrefixCache(serve, served, warnings);
    if (serve.batching.preemption == Preemption::Swap && served.swaps == 0)
    {
        warnings.emplace_back("workload.serve.batching.preemption: swap had no effect: no "
                              "request had to leave");
    }
    if (serve.batching.hasPrefixCache && served.namedPrefixes > 0 && served.cachedTokens == 0)
    {
        warnings.emplace_back("workload.serve.batching.prefix-cache had no effect: no prompt found "
                              "a begin of it in the cache of its replica");
    }
    for (std::string& warning : FindPassWarnings(input, served))
    {
        warnings.push_back(std::move(warning));
    }
    return warnings;
}

} // namespace nadi
