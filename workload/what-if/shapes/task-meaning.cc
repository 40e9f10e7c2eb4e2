// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/task-meaning.h"

#include "workload/models/kernel-work.h"

namespace nadi
{

namespace
{

uint64_t
CountUpdated(const Amount& amount, const ShapeSizes& part, const ParameterRules& rules)
{
    const uint64_t dense = CountParameters(amount.set.Dense(), part, rules);
    const uint64_t experts = CountParameters(amount.set.Experts(), part, rules);
    return ShareOf(dense, amount.copies) + ShareOf(experts, amount.ExpertCopies(part));
}

/// Experts of a rank alone get all tokens once, and route them among themselves.
uint64_t
CountRouted(const ShapeSizes& part)
{
    return MultiplyCounts({part.Tokens(), part.expert > 1 ? part.topK : 1, part.hidden});
}

} // namespace

uint64_t
Amount::Count(const ShapeSizes& part, const ParameterRules& rules) const
{
    switch (kind)
    {
    case AmountKind::Fixed:
        return 1;
    case AmountKind::Activation:
        return MultiplyCounts({part.Tokens(), part.hidden});
    case AmountKind::ActivationShare:
        return MultiplyCounts({TokenShare(part), part.hidden});
    case AmountKind::Routed:
        return CountRouted(part);
    case AmountKind::RoutedShare:
        return CountRouted(part) / part.tensor;
    case AmountKind::Tokens:
        return part.Tokens();
    // Shards of experts alone are cut among the copies of the experts. All others are cut among all
    // copies.
    case AmountKind::Parameters:
        return ShareOf(CountParameters(set, part, rules),
                       set.Dense().IsEmpty() ? ExpertCopies(part) : copies);
    case AmountKind::EmbeddingMatrix:
        return ShareOf(MultiplyCounts({part.vocabulary, part.hidden}), copies);
    case AmountKind::Updated:
        return CountUpdated(*this, part, rules);
    }
    return 1;
}

} // namespace nadi
