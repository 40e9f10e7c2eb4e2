// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/parameter-rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace nadi
{

namespace
{

/// Tries the usual forms: norms of scale and shift or of scale alone, with biases or none; a matrix
/// of the ends or two; learned positions or none. They are few, so whatever adds up to the last
/// parameter is hardly there by chance.
std::set<ParameterRule>
ListRules(const EndsEvidence& evidence)
{
    std::set<ParameterRule> rules;
    const uint64_t ofMatrices = evidence.layers * evidence.matrices + evidence.first;
    for (const LayerForm& form : ListLayerForms(evidence.hidden, evidence.columns))
    {
        for (const bool isSingle : {true, false})
        {
            for (const uint64_t positions : {uint64_t{0}, evidence.sequence * evidence.hidden})
            {
                const uint64_t ofEnds = evidence.head * (isSingle ? 1 : 2) + form.norm + positions;
                if (ofMatrices + evidence.layers * form.beyond + ofEnds == evidence.updated)
                {
                    rules.insert({isSingle, form.beyond, positions});
                }
            }
        }
    }
    return rules;
}

} // namespace

std::array<LayerForm, 4>
ListLayerForms(uint64_t hidden, uint64_t columns)
{
    // A layer has two norms, and the head one more of the same kind.
    const uint64_t two = 2 * hidden;
    return {{{two, 2 * two + columns}, {two, 2 * two}, {hidden, two + columns}, {hidden, two}}};
}

std::optional<ParameterRule>
FindParameterRule(const EndsEvidence& evidence)
{
    std::set<ParameterRule> rules = ListRules(evidence);
    // The set is ordered by the ends first, so its first and last rule tell whether all agree on
    // them.
    if (rules.empty() || rules.begin()->isSingle != rules.rbegin()->isSingle)
    {
        return std::nullopt;
    }
    if (rules.size() > 1)
    {
        // Positions explain any rest of that many parameters, so a rule without them is the simpler
        // one.
        std::erase_if(rules, [](const ParameterRule& rule) { return rule.positions > 0; });
    }
    return rules.size() == 1 ? std::optional(*rules.begin()) : std::nullopt;
}

bool
HasSingleMatrix(const EndsEvidence& evidence)
{
    if (const std::optional<ParameterRule> rule = FindParameterRule(evidence))
    {
        return rule->isSingle;
    }
    // Without an exact rule, all that layers can have beyond their matrices is taken off, so that
    // what is left is of the ends. A second matrix would leave as much again as the head's has.
    // Half of that tells both cases apart.
    constexpr uint64_t norms = 4; // two vectors of two norms
    // A bias; behind a convolution each channel has a norm of two numbers, too.
    const uint64_t ofColumn = evidence.first > 0 ? 3 : 1;
    const uint64_t ofLayer =
        evidence.matrices + ofColumn * evidence.columns + norms * evidence.hidden;
    return evidence.updated <
           evidence.layers * ofLayer + evidence.first + evidence.head + evidence.head / 2;
}

bool
IsTied(const EndsEvidence& evidence)
{
    return evidence.first == 0 && HasSingleMatrix(evidence);
}

std::string
NoteOfEnds(const EndsEvidence& evidence)
{
    const uint64_t inMatrices =
        evidence.layers * evidence.matrices + evidence.first + evidence.head;
    const uint64_t left = evidence.updated - std::min(evidence.updated, inMatrices);
    if (evidence.first > 0 && HasSingleMatrix(evidence))
    {
        return fmt::format("The kernels before the layers multiply by matrices of {} parameters of "
                           "their own, so they share none with the head: of {} parameters that the "
                           "optimizer of a rank updates, {} are in no matrix",
                           evidence.first,
                           evidence.updated,
                           left);
    }
    const bool isTied = IsTied(evidence);
    std::string otherwise = isTied ? "; another of these would fit too, with fewer norms and biases"
                                   : "; with learned positions among them, they may share one";
    otherwise += ", and a recording of two copies tells";
    if (const std::optional<ParameterRule> rule = FindParameterRule(evidence))
    {
        otherwise = fmt::format("; {}the norms and biases of layers and head{} are exactly these",
                                isTied ? "" : "another of these, and ",
                                rule->positions > 0 ? ", and learned positions," : "");
    }
    else if (isTied && left < evidence.head)
    {
        otherwise.clear();
    }
    return fmt::format("Embedding and head are taken to {}: of {} parameters that the optimizer of "
                       "a rank updates, {} are in no matrix of {}layers or of the head, which has "
                       "{}{}",
                       isTied ? "share a matrix" : "have a matrix each",
                       evidence.updated,
                       left,
                       evidence.first > 0 ? "the kernels before the layers, of " : "",
                       evidence.head,
                       otherwise);
}

uint64_t
FindSequence(const RecordedStage& stage)
{
    const std::vector<LayerRunPass>& passes = stage.Rank().passes;
    for (const uint32_t task : passes.empty() ? TaskList() : passes.front().layers.front().tasks)
    {
        for (const KernelLaunch& kernel : stage.Graph().KernelsOf(stage.Graph().Node(task)))
        {
            if (kernel.context > 0)
            {
                return kernel.context;
            }
            // Without a context, the width of a softmax is the number of tokens that each looks at.
            if (kernel.op == KernelOp::Softmax)
            {
                return kernel.n;
            }
        }
    }
    return 0;
}

} // namespace nadi
