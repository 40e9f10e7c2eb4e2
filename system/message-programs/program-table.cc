// SPDX-License-Identifier: GPL-2.0-only
#include "system/message-programs/program-table.h"

#include "common/check.h"

namespace nadi
{

const StoredProgram&
ProgramTable::Require(const ChosenAlgorithm& chosen, const ProgramWish& wish)
{
    const ProgramMaker* const maker = chosen.algorithm->Programs();
    NADI_CHECK(maker != nullptr);
    // Only the class of a call's size is in the key, so calls of similar sizes share a program.
    const Key key{
        chosen.id, wish.type, wish.ranks, wish.root, maker->SizeClass(m_surroundings, wish)};
    const auto known = m_programs.find(key);
    if (known != m_programs.end())
    {
        return known->second;
    }
    // References to entries of a std::map stay valid when others are added, on which callers rely.
    return m_programs.emplace(key, maker->Make(m_surroundings, wish)).first->second;
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
