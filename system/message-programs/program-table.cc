// SPDX-License-Identifier: GPL-2.0-only
#include "system/message-programs/program-table.h"

#include "common/check.h"

namespace nadi
{

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
    for (const auto& [key, stored] : m_programs)
    {
        if (!stored.complaint.empty())
        {
            complaints.insert(stored.complaint);
        }
    }
    return complaints;
}

} // namespace nadi
