// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/value-model.h"

#include "workload/tools/synthesis/normal-distribution.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nadi
{

namespace
{

using Atom = ValueModel::Atom;

constexpr uint64_t LEAST_ATOM = 8;
constexpr uint64_t ATOM_PART = 100; // an atom is one in so many values
constexpr uint64_t LEAST_FITTED = 32;
constexpr size_t LEAST_DIFFERENT = 8;
// Every step of every fit goes through all points, so there is a bound.
constexpr size_t MOST_FITTED = 4096;
constexpr uint32_t MOST_COMPONENTS = 8;
constexpr double LEAST_DEVIATION = 0.005; // of logarithms: half a percent of the value

/// The different values, ascending, each with how often it occurs.
std::vector<Atom>
CountValues(std::vector<uint64_t> values)
{
    std::sort(values.begin(), values.end());
    std::vector<Atom> counted;
    for (const uint64_t value : values)
    {
        if (counted.empty() || counted.back().value != value)
        {
            counted.push_back({value, 0});
        }
        ++counted.back().count;
    }
    return counted;
}

/// The greatest common divisor; at least 1, as values are divided by it.
uint64_t
FindUnit(const std::vector<Atom>& counted)
{
    uint64_t unit = 0;
    for (const Atom& value : counted)
    {
        unit = std::gcd(unit, value.value);
    }
    return std::max<uint64_t>(unit, 1);
}

uint64_t
SumCounts(const std::vector<Atom>& counted)
{
    uint64_t sum = 0;
    for (const Atom& value : counted)
    {
        sum += value.count;
    }
    return sum;
}

/// The logarithms. Where there are too many for a quick fit, neighbours become one point at the
/// mean of their logarithms, with their counts as weight. Requires: no value is 0, as Fit makes 0
/// an atom.
std::vector<WeightedValue>
TakeLogarithms(const std::vector<Atom>& counted)
{
    const uint64_t perPoint = SumCounts(counted) / MOST_FITTED + 1;
    std::vector<WeightedValue> points;
    WeightedValue point{0, 0};
    for (const Atom& value : counted)
    {
        const auto count = static_cast<double>(value.count);
        point.value += count * std::log(static_cast<double>(value.value));
        point.weight += count;
        if (point.weight >= static_cast<double>(perPoint))
        {
            points.push_back({point.value / point.weight, point.weight});
            point = {0, 0};
        }
    }
    if (point.weight > 0)
    {
        points.push_back({point.value / point.weight, point.weight});
    }
    return points;
}

} // namespace

ValueModel
ValueModel::Keep(std::vector<uint64_t> values)
{
    ValueModel model;
    model.m_count = values.size();
    model.m_atoms = CountValues(std::move(values));
    model.m_unit = FindUnit(model.m_atoms);
    return model;
}

ValueModel
ValueModel::Fit(std::vector<uint64_t> values)
{
    ValueModel model = Keep(std::move(values));
    // Both bounds hold, so that an atom is frequent in a small sample as well as in a large one.
    const uint64_t least = std::max(LEAST_ATOM, model.m_count / ATOM_PART);
    std::vector<Atom> atoms;
    std::vector<Atom> rest;
    for (const Atom& value : model.m_atoms)
    {
        const bool isAtom = value.value == 0 || value.count >= least;
        (isAtom ? atoms : rest).push_back(value);
    }
    if (rest.size() >= LEAST_DIFFERENT && SumCounts(rest) >= LEAST_FITTED)
    {
        model.m_atoms = std::move(atoms);
        model.FitMixture(rest);
    }
    return model;
}

void
ValueModel::FitMixture(const std::vector<Atom>& rest)
{
    m_least = rest.front().value;
    m_most = rest.back().value;
    m_mixture = ChooseGaussianMixture(TakeLogarithms(rest), MOST_COMPONENTS, LEAST_DEVIATION);
}

/// Requires: there are values.
double
ValueModel::AtomShare() const
{
    return static_cast<double>(SumCounts(m_atoms)) / static_cast<double>(m_count);
}

/// The nearest multiple of the unit that is within the range of the values in the mixture. Both
/// bounds are multiples, as the unit divides all values.
uint64_t
ValueModel::RoundToUnit(double value) const
{
    const double units = std::round(value / static_cast<double>(m_unit));
    const auto least = static_cast<double>(m_least / m_unit);
    const auto most = static_cast<double>(m_most / m_unit);
    // Past 53 bits the bound itself may have been rounded up.
    return std::min(static_cast<uint64_t>(std::clamp(units, least, most)) * m_unit, m_most);
}

/// Each component has a part of the shares from 0 to 1 as large as its weight, and within that part
/// the value is its quantile. So values need not ascend with the share from one component to the
/// next.
uint64_t
ValueModel::DrawFromMixture(double share) const
{
    double below = 0;
    for (size_t index = 0; index < m_mixture.components.size(); ++index)
    {
        const GaussianComponent& component = m_mixture.components[index];
        const bool isLast = index + 1 == m_mixture.components.size();
        if (share < below + component.weight || isLast)
        {
            // FindNormalQuantile requires a share strictly between 0 and 1, and rounding may put it
            // on an edge or past it.
            constexpr double edge = 1e-12;
            const double inside = (share - below) / component.weight;
            const double z = FindNormalQuantile(std::clamp(inside, edge, 1 - edge));
            return RoundToUnit(std::exp(component.mean + component.deviation * z));
        }
        below += component.weight;
    }
    return 0;
}

/// Shares ascend from value to value, so the atoms are gone through once.
std::vector<uint64_t>
ValueModel::Draw(size_t count, RandomNumbers& random) const
{
    std::vector<uint64_t> values;
    values.reserve(count);
    if (m_count == 0)
    {
        values.resize(count, 0);
        return values;
    }
    const double atomShare = AtomShare();
    double belowAtoms = 0; // the share of the atoms before `atom` and with it
    size_t atom = 0;
    const auto shareOf = [this](const Atom& value)
    { return static_cast<double>(value.count) / static_cast<double>(m_count); };
    for (size_t index = 0; index < count; ++index)
    {
        // Atoms have the first part of the shares from 0 to 1, the mixture the rest.
        const double share =
            (static_cast<double>(index) + random.Uniform()) / static_cast<double>(count);
        while (atom < m_atoms.size() && share >= belowAtoms + shareOf(m_atoms[atom]))
        {
            belowAtoms += shareOf(m_atoms[atom++]);
        }
        const bool isAtom = atom < m_atoms.size() || m_mixture.components.empty();
        values.push_back(isAtom ? m_atoms[std::min(atom, m_atoms.size() - 1)].value
                                : DrawFromMixture((share - atomShare) / (1 - atomShare)));
    }
    std::sort(values.begin(), values.end());
    return values;
}

/// Draw gives ascending values, so they are shuffled.
uint64_t
ShuffledDraws::Next(RandomNumbers& random)
{
    if (m_left.empty())
    {
        m_left = m_model->Draw(m_batch, random);
        random.Shuffle(m_left);
    }
    const uint64_t value = m_left.back();
    m_left.pop_back();
    return value;
}

} // namespace nadi
