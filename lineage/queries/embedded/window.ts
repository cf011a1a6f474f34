/** A window without bounds. Times compare as text in the embedded graph: these stand before and after all of them. */
export const ALWAYS = { from_time: '', to_time: '~' };
