// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/check.h"
#include "common/component.h"
#include "common/error.h"
#include "common/text.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace nadi
{

/// The components of one kind that can be named in a configuration.
///
/// Filled by NADI_REGISTER before main; the files must be linked as CMake OBJECT libraries, since
/// a linker drops self-registering files from static ones. Names are listed in alphabetical order.
template <class Base>
class Registry
{
  public:
    struct Entry : ComponentInfo
    {
        std::function<std::unique_ptr<Base>(const Parameters&)> make;
    };

    static Registry& Instance()
    {
        static Registry registry;
        return registry;
    }

    /// Requires: the name is new.
    void Add(Entry entry)
    {
        const std::string name = entry.name;
        NADI_CHECK(m_entries.emplace(name, std::move(entry)).second);
    }

    /// The entry, or nullptr where nothing has that name.
    const Entry* Find(const std::string& name) const
    {
        const auto found = m_entries.find(name);
        return found == m_entries.end() ? nullptr : &found->second;
    }

    std::vector<std::string> Names() const
    {
        std::vector<std::string> names;
        for (const auto& [name, entry] : m_entries)
        {
            names.push_back(name);
        }
        return names;
    }

    /// All of them, as a configuration speaks of them.
    std::vector<ComponentInfo> Describe() const
    {
        std::vector<ComponentInfo> components;
        for (const auto& [name, entry] : m_entries)
        {
            components.push_back(entry);
        }
        return components;
    }

    /// The component that was chosen. Throws ConfigError: at no place for an unknown name (with a
    /// suggestion), at the name of the parameter for one that is unfit, unknown or missing, and
    /// whatever the component refuses.
    std::unique_ptr<Base> Make(const ComponentChoice& choice) const
    {
        const Entry* entry = Find(choice.name);
        if (entry == nullptr)
        {
            throw ConfigError("", "there is no " + choice.name + SuggestFrom(choice.name, Names()));
        }
        return entry->make(ParseChoice(*entry, choice));
    }

  private:
    std::map<std::string, Entry> m_entries;
};

/// Registers `Derived` at start-up. `Derived` has `static constexpr const char* Help` and, when it
/// takes parameters, `static std::vector<ParameterSpec> ParameterSpecs()` and a constructor from
/// `const Parameters&`; otherwise a default constructor.
template <class Base, class Derived>
struct Registration
{
    explicit Registration(const char* name)
    {
        typename Registry<Base>::Entry entry;
        entry.name = name;
        entry.help = Derived::Help;
        if constexpr (requires { Derived::ParameterSpecs(); })
        {
            entry.parameters = Derived::ParameterSpecs();
            entry.make = [](const Parameters& values) { return std::make_unique<Derived>(values); };
        }
        else
        {
            entry.make = [](const Parameters&) { return std::make_unique<Derived>(); };
        }
        Registry<Base>::Instance().Add(std::move(entry));
    }
};

} // namespace nadi

#define NADI_REGISTER(Base, Derived, name)                                                         \
    static const ::nadi::Registration<Base, Derived> g_registered##Derived                         \
    {                                                                                              \
        name                                                                                       \
    }
