export function drawDemoPicture(slug: string, category: string): string {
  return '<svg/>' + slug + category;
}
