// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/pass-warnings.h"

#include "simulation/notes/transfer-links.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

/// Where each layer sends keys and values by itself, those that are on their way while a layer runs
/// are as many as with any other layer.
void
WarnOfDisturbedLayers(const RunInput& input,
                      const PassCounts& counts,
                      std::vector<std::string>& warnings)
{
    const ServeOptions& serve = *input.Config().workload.serve;
    if (counts.disturbed == 0 || serve.kvTransfer.when == KvTransferOptions::When::Layer ||
        !DoTransfersMeetPasses(*input.Serving(), *serve.layers, input.Topology(), input.Routing()))
    {
        return;
    }
    warnings.push_back(
        fmt::format("workload.serve.layers: in {} of {} passes keys and values were on their way "
                    "while the layers in full were computed, and may have taken the same links. "
                    "What that costs a layer in full is counted for the layers left out too, so "
                    "times may be too long; compare with layers: all",
                    counts.disturbed,
                    counts.standingIn));
}

void
WarnOfDrawnRoutes(const PassCounts& counts, std::vector<std::string>& warnings)
{
    if (counts.drawn > 0)
    {
        warnings.push_back(
            fmt::format("workload.serve.experts.routing.trace: the routes of {} of {} passes are "
                        "drawn with the weights of the file, on some ranks at least, since it has "
                        "no counts for them or counts of other numbers of tokens; {} repeat it",
                        counts.drawn,
                        counts.passes,
                        counts.passes - counts.drawn));
    }
}

void
WarnOfUncutPrompts(const PassCounts& counts, std::vector<std::string>& warnings)
{
    if (counts.uncut > 0)
    {
        warnings.push_back(
            fmt::format("micro-batches: {} of {} passes had prompts of fewer requests than there "
                        "are micro-batches. A request is in one micro-batch as a whole, so others "
                        "were empty, and attention and experts overlapped less",
                        counts.uncut,
                        counts.passes));
    }
}

} // namespace

std::vector<std::string>
FindPassWarnings(const RunInput& input, const ServingTotals& served)
{
    std::vector<std::string> warnings;
    WarnOfDisturbedLayers(input, served.passes, warnings);
    WarnOfDrawnRoutes(served.passes, warnings);
    WarnOfUncutPrompts(served.passes, warnings);
    return warnings;
}

} // namespace nadi
