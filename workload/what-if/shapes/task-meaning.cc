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
        return MultiplyCounts({part.Tokens(), part.topK, part.hidden});
    case AmountKind::RoutedShare:
        return MultiplyCounts({part.Tokens(), part.topK, part.hidden}) / part.tensor;
    case AmountKind::Tokens:
        return part.Tokens();
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
