// SPDX-License-Identifier: GPL-2.0-only
#include "system/message-programs/program-table.h"

#include "common/check.h"
#include "common/text.h"

#include <fmt/format.h>

#include <utility>

namespace nadi
{

namespace
{

/// The excesses of one file in one type of collective, by the size of the call: jobs may call
/// dozens of sizes, and one of them tells the user what to do.
using ExcessesBySize = std::map<Bytes, FileExcess>;

std::string
DescribeExcesses(const ExcessesBySize& excesses)
{
    const FileExcess& first = excesses.begin()->second;
    const size_t more = excesses.size() - 1;
    return fmt::format("{}: its messages carry {} B in all, enough for {} of {} B, but one of {} B "
                       "is called{}; they keep their sizes, which is right if the algorithm sends "
                       "more than it must; if the file is for another size, write scale: on",
                       first.source,
                       first.carried.Count(),
                       ToText(first.type),
                       first.enough.Count(),
                       first.called.Count(),
                       more == 0 ? "" : fmt::format(" (and {})", CountText(more, "more size")));
}

} // namespace

const StoredProgram&
ProgramTable::Require(const ChosenAlgorithm& chosen, const ProgramWish& wish)
{
    NADI_CHECK(chosen.algorithm->Programs() != nullptr);
    // What a wish depends on takes long to find, so it is found once for each wish.
    const StoredProgram*& answer = m_answers[KeyOf(chosen, wish)];
    if (answer == nullptr)
    {
        answer =
            &RequireSimple(chosen, chosen.algorithm->Programs()->Simplify(m_surroundings, wish));
    }
    return *answer;
}

/// Only the class of a call's size is in the key, so calls of similar sizes share a program.
ProgramTable::Key
ProgramTable::KeyOf(const ChosenAlgorithm& chosen, const ProgramWish& wish) const
{
    return {chosen.id,
            wish.type,
            wish.ranks,
            wish.root,
            chosen.algorithm->Programs()->SizeClass(m_surroundings, wish),
            wish.communicator};
}

const StoredProgram&
ProgramTable::RequireSimple(const ChosenAlgorithm& chosen, const ProgramWish& wish)
{
    const Key key = KeyOf(chosen, wish);
    const auto known = m_programs.find(key);
    if (known != m_programs.end())
    {
        return known->second;
    }
    // References to entries of a std::map stay valid when others are added, on which callers rely.
    return m_programs.emplace(key, chosen.algorithm->Programs()->Make(m_surroundings, wish))
        .first->second;
}

std::set<std::string>
ProgramTable::Complaints() const
{
    std::set<std::string> complaints;
    std::map<std::pair<std::string, CollectiveType>, ExcessesBySize> excesses;
    for (const auto& [key, stored] : m_programs)
    {
        if (!stored.complaint.empty())
        {
            complaints.insert(stored.complaint);
        }
        if (stored.excess)
        {
            const FileExcess& excess = *stored.excess;
            excesses[{excess.source, excess.type}].emplace(excess.called, excess);
        }
    }
    for (const auto& [of, bySize] : excesses)
    {
        complaints.insert(DescribeExcesses(bySize));
    }
    return complaints;
}

} // namespace nadi
