// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/quantity-draws.h"

#include "workload/tools/synthesis/autocorrelation.h"

namespace nadi
{

QuantityDraws::QuantityDraws(const TraceModel& model,
                             const std::vector<SyntheticStep>& steps,
                             uint64_t seed,
                             uint32_t rank)
    : m_next(model.classes.size(), 0)
{
    std::vector<size_t> counts(model.classes.size(), 0);
    for (const SyntheticStep& step : steps)
    {
        // A systematic sample is drawn as a whole, so its size has to be known.
        ++counts[step.nodeClass];
    }
    for (uint32_t index = 0; index < counts.size(); ++index)
    {
        // Each class has random numbers of its own, so the values of one do not depend on how many
        // nodes another has.
        RandomNumbers random(seed, RandomPurpose::Values, rank, index);
        m_drawn.push_back(DrawClass(model.classes[index], counts[index], random));
    }
}

QuantityDraws::Drawn
QuantityDraws::DrawClass(const ClassModel& model, size_t count, RandomNumbers& random)
{
    const std::vector<double> latent = MakeLatentSequence(count, model.latentCorrelation, random);
    Drawn drawn;
    for (size_t index = 0; index < drawn.size(); ++index)
    {
        // One latent sequence orders all quantities, so that the longest node has the largest size.
        drawn[index] = ArrangeLike(latent, model.quantities[index].Draw(count, random));
    }
    return drawn;
}

NodeQuantities
QuantityDraws::Next(uint32_t nodeClass)
{
    const size_t place = m_next[nodeClass]++;
    NodeQuantities quantities{};
    for (size_t index = 0; index < quantities.size(); ++index)
    {
        quantities[index] = m_drawn[nodeClass][index].at(place);
    }
    return quantities;
}

} // namespace nadi
