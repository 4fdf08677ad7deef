// What is common to all forms.
#include "terrain/form.h"

#include <string.h>

rv_form_work rv_default_form_work(void)
{
    rv_form_work work;
    memset(&work, 0, sizeof work);
    work.allocator = rv_default_allocator();
    return work;
}

void rv_form_free(rv_form *form)
{
    if (form) form->kind->release(form);
}
